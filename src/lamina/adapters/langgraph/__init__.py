"""Lamina under LangGraph: a store for long-term memory and a checkpointer for threads.

    from lamina.adapters.langgraph import LaminaCheckpointer, LaminaStore

Both take a `Memory`, embedded or connected, and see and do what that handle may.
"""

from importlib.util import find_spec

if find_spec("langgraph") is None or find_spec("langgraph.checkpoint") is None:
    raise ImportError("LangGraph is not installed: pip install 'lamina[langgraph]'")

from lamina.adapters.langgraph.batched import AsyncLaminaStore
from lamina.adapters.langgraph.checkpointer import LaminaCheckpointer
from lamina.adapters.langgraph.store import LaminaStore

__all__ = ["AsyncLaminaStore", "LaminaCheckpointer", "LaminaStore"]
