"""What to do with a task next: its episodes are read, then the policy or the caller is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from lamina.layers.attempts import told
from lamina.runtime.choosing import (
    FAILED,
    Failure,
    Past,
    approaches_of,
    choose,
    past_of,
    told_past,
)
from lamina.runtime.graph import Graph
from lamina.runtime.orchestrator import Again, GiveUp

if TYPE_CHECKING:
    from lamina.core.record import Record
    from lamina.core.scope import Scope
    from lamina.layers.face import Door
    from lamina.runtime.orchestrator import Replan

_SIMILAR: Final = 10


@dataclass(frozen=True, slots=True)
class Try:
    """An approach is tried."""

    approach: str


@dataclass(frozen=True, slots=True)
class First:
    """Other tasks are done first."""

    graph: Graph


@dataclass(frozen=True, slots=True)
class Drop:
    """The task is given up."""

    reason: str
    since: str
    """The last episode that was read; a task that is opened again begins behind it."""


Next: TypeAlias = Try | First | Drop


class Planner:
    """Decides what is tried next."""

    def __init__(self, door: Door, scope: Scope, replan: Replan | None) -> None:
        self._door = door
        self._scope = scope
        self._replan = replan

    def next(self, task: Record) -> Next:
        """What to do with a task that is ready."""
        episodes = self._episodes(task)
        past = past_of(episodes, _since(task))
        last = episodes[-1].id if episodes else ""
        if self._replan is not None and past.failed and past.going_on is None:
            return self._asked(self._replan, task, episodes, past)
        return self._usual(task, past, last)

    def failures(self, task: Record) -> tuple[Failure, ...]:
        """What failed for a task, newest first, then what failed for tasks like it."""
        own = [_failure(one) for one in reversed(self._episodes(task)) if one.kind == FAILED]
        return (*own, *self._elsewhere(task))

    def _usual(self, task: Record, past: Past, last: str) -> Next:
        approaches = approaches_of(task)
        elsewhere = {one.approach for one in self._elsewhere(task)} if len(approaches) > 1 else ()
        chosen = choose(approaches, past, elsewhere)
        return Drop(told_past(past), last) if chosen is None else Try(chosen)

    def _asked(self, replan: Replan, task: Record, episodes: list[Record], past: Past) -> Next:
        last = episodes[-1].id
        try:
            answer = replan(task, episodes)
        except Exception as error:  # noqa: BLE001 - the task is given up, the others go on
            return Drop(f"replanning failed: {told(error)}; {told_past(past)}", last)
        match answer:
            case None:
                return self._usual(task, past, last)
            case str() if answer in past.failed:
                return Drop(f"replanning named {answer!r:.200}, which had failed", last)
            case str() | Again():
                return Try(answer if isinstance(answer, str) else answer.approach)
            case Graph():
                return self._first(task, answer, last)
            case GiveUp():
                return Drop(answer.reason or told_past(past), last)
            case _:
                return Drop(f"replanning answered {type(answer).__name__}", last)

    def _first(self, task: Record, graph: Graph, last: str) -> Next:
        """New tasks before this one; what names none would be answered for ever."""
        names = {one.name for one in graph.tasks}
        waits = task.data.get("blocked_by")
        if names <= {*(waits if isinstance(waits, list) else ())}:
            return Drop("replanning named nothing new", last)
        return First(graph)

    def _episodes(self, task: Record) -> list[Record]:
        from lamina.layers.episodes import Episodes

        return Episodes(self._door, self._scope).of_task(str(task.key), limit=10_000)

    def _elsewhere(self, task: Record) -> list[Failure]:
        where = {"kind": FAILED, "scope": self._scope.path, "data.task": {"$ne": str(task.key)}}
        hits = self._door.recall(task.text, layers=["episode"], where=where, k=_SIMILAR).hits
        return [_failure(hit.record) for hit in hits]


def _failure(episode: Record) -> Failure:
    said = episode.data
    return Failure(*(str(said.get(name, "")) for name in ("task", "approach", "outcome")))


def _since(task: Record) -> str:
    said = task.data.get("since")
    return said if isinstance(said, str) else ""
