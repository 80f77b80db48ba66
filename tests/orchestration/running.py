"""Graphs that are run, and what the episodes tell of it."""

from typing import Any

from lamina import Memory
from lamina.orchestration.graph import Graph
from lamina.orchestration.orchestrator import Orchestrator, Outcome


def run(mem: Memory, work: Any, graph: Graph | None = None, **options: Any) -> Outcome:
    return Orchestrator(mem.project("web"), work, **options).run(graph)


def told(mem: Memory, task: str) -> list[tuple[str, str]]:
    found = mem.project("web").episode.of_task(task)
    return [(one.kind, str(one.data["approach"])) for one in found]
