"""Agents at work: the loop around a model, the tools it may call, and graphs of tasks."""

from lamina.runtime.agent import Agent, Run
from lamina.runtime.executing import Did, Step
from lamina.runtime.limits import Limits
from lamina.runtime.tools import tool
from lamina.runtime.window import Window

__all__ = ["Agent", "Did", "Limits", "Run", "Step", "Window", "tool"]
