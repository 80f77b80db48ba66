"""An agent at work: the loop around a model, and the tools it may call."""

from lamina.runtime.agent import Agent, Run, hold_session
from lamina.runtime.executing import Did, Step
from lamina.runtime.limits import Limits
from lamina.runtime.tools import tool
from lamina.runtime.window import Window

__all__ = ["Agent", "Did", "Limits", "Run", "Step", "Window", "hold_session", "tool"]
