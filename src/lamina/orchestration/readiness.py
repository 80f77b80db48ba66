"""Which tasks can be begun: from the tasks alone, as they were read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.core.record import State
from lamina.layers.tasks import Status, awaited, status_of
from lamina.orchestration.books import attempt_of, is_run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.core.record import Record


def under_way(known: Mapping[str, Record]) -> list[Record]:
    """The tasks with an attempt that has no end yet; nobody ends one that is archived."""
    return [task for task in known.values() if attempt_of(task) and task.state is State.CURRENT]


def is_free(task: Record, known: Mapping[str, Record]) -> bool:
    """Whether a task is open and everything that it waits for is done."""
    return status_of(task) is Status.OPEN and not unfinished(task, known)


def unfinished(task: Record, known: Mapping[str, Record]) -> list[str]:
    """The tasks that one waits for and that are not done, to the end of what is under way."""
    return [name for name in awaited(task) if name not in known or not _is_done(known[name])]


def _is_done(task: Record) -> bool:
    """Whether nothing more comes of a task; somebody may say so while it is worked on."""
    goes_on = attempt_of(task) is not None and task.state is State.CURRENT
    return status_of(task) is Status.DONE and not goes_on


def ready(known: Mapping[str, Record]) -> list[Record]:
    """The tasks that agents can begin, the most urgent first, then the oldest."""

    def place(task: Record) -> tuple[Any, ...]:
        said = task.data.get("priority")
        return -said if type(said) is int else 0, task.created_at, task.id

    free = (task for task in known.values() if is_free(task, known))
    return sorted(filter(is_run, free), key=place)


def results_of(before: Mapping[str, Record]) -> dict[str, Any]:
    """What came of the tasks before."""
    return {name: task.data["result"] for name, task in before.items() if "result" in task.data}
