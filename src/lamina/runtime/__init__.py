"""Agents at work: the loop around a model, and the tools it may call."""

from typing import TYPE_CHECKING

from lamina.core.lazy import loading

if TYPE_CHECKING:
    from lamina.runtime.agent import Agent, Run, hold_session
    from lamina.runtime.executing import Did, Step
    from lamina.runtime.limits import Limits
    from lamina.runtime.tools import tool
    from lamina.runtime.window import Window

__all__ = ["Agent", "Did", "Limits", "Run", "Step", "Window", "hold_session", "tool"]

# A tool that runs in a process of its own imports what it is made with, and not the whole loop.
__getattr__ = loading(
    __name__,
    {
        "lamina.runtime.agent": ("Agent", "Run", "hold_session"),
        "lamina.runtime.executing": ("Did", "Step"),
        "lamina.runtime.limits": ("Limits",),
        "lamina.runtime.tools": ("tool",),
        "lamina.runtime.window": ("Window",),
    },
)
