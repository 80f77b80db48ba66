"""The agent runtime: a loop around any model, with memory, tools and a session that survives."""

from lamina.runtime.agent import Agent, Run
from lamina.runtime.executing import Did, Step
from lamina.runtime.limits import Limits
from lamina.runtime.window import Window

__all__ = ["Agent", "Did", "Limits", "Run", "Step", "Window"]
