"""Graphs of tasks, and the orchestrator that has agents work on them."""

from lamina.orchestration.commands import Command
from lamina.orchestration.graph import Graph
from lamina.orchestration.orchestrator import Again, Event, GiveUp, Orchestrator, Outcome
from lamina.orchestration.work import Result, Transient, Work

__all__ = [
    "Again",
    "Command",
    "Event",
    "GiveUp",
    "Graph",
    "Orchestrator",
    "Outcome",
    "Result",
    "Transient",
    "Work",
]
