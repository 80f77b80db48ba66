"""What to do with a task next: its episodes are read, then the policy or the caller is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from lamina.errors import InvalidInputError
from lamina.layers.attempts import told
from lamina.layers.tasks import awaited
from lamina.orchestration.choosing import (
    FAILED,
    Failure,
    Past,
    approaches_of,
    choose,
    detours_of,
    past_of,
    retries_of,
    told_past,
)
from lamina.orchestration.graph import Graph, check_approach
from lamina.orchestration.orchestrator import Again, GiveUp

if TYPE_CHECKING:
    from lamina.core.record import Record
    from lamina.core.scope import Scope
    from lamina.layers.face import Door
    from lamina.orchestration.orchestrator import Replan

_SIMILAR: Final = 10
_MOST_FAILURES: Final = 50
"""A caller who always knows another approach is asked no further."""
MOST_DETOURS: Final = 10
"""So often may other tasks come first, counted with those that this one came first of itself."""


@dataclass(frozen=True, slots=True)
class Try:
    """An approach is tried."""

    approach: str
    failures: tuple[Failure, ...] = ()
    """What failed for this task, newest first, then for tasks like it."""


@dataclass(frozen=True, slots=True)
class First:
    """Other tasks are done first."""

    graph: Graph


@dataclass(frozen=True, slots=True)
class Drop:
    """The task is given up."""

    reason: str


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
        past = past_of(episodes, task)
        elsewhere = self._elsewhere(task)
        answer = self._answer(task, episodes, past)
        found = _usual(task, past, elsewhere) if answer is None else answer
        if not isinstance(found, Try):
            return found
        own = [_failure(one) for one in reversed(episodes) if one.kind == FAILED]
        return Try(found.approach, (*own, *elsewhere))

    def _answer(self, task: Record, episodes: list[Record], past: Past) -> Next | None:
        """What the caller says to a failure; nothing if it leaves that to the usual policy."""
        replan = self._replan
        goes_on = past.going_on is not None and past.going_on not in past.failed
        if replan is None or not past.failed or goes_on:
            return None
        if past.failures.total() >= _MOST_FAILURES:
            return Drop(f"{past.failures.total()} attempts failed")
        try:
            answer = replan(task, episodes)
        except Exception as error:
            # The task is given up; the others go on.
            return Drop(f"replanning failed: {told(error)}; {told_past(past)}")
        return None if answer is None else _meant(answer, task, past)

    def _episodes(self, task: Record) -> list[Record]:
        from lamina.layers.episodes import Episodes

        return Episodes(self._door, self._scope).of_task(str(task.key), limit=10_000)

    def _elsewhere(self, task: Record) -> list[Failure]:
        where = {"kind": FAILED, "scope": self._scope.path, "data.task": {"$ne": str(task.key)}}
        hits = self._door.recall(task.text, layers=["episode"], where=where, k=_SIMILAR).hits
        return [_failure(hit.record) for hit in hits]


def _usual(task: Record, past: Past, elsewhere: list[Failure]) -> Next:
    chosen = choose(approaches_of(task), past, {one.approach for one in elsewhere})
    return Drop(told_past(past)) if chosen is None else Try(chosen)


def _meant(answer: object, task: Record, past: Past) -> Next:
    """What is done about an answer, which may be nonsense."""
    match answer:
        case str(approach) | Again(approach) if not _is_approach(approach):
            return Drop(f"replanning named {approach!r:.200}, which is no approach")
        case str() if answer in past.failed:
            return Drop(f"replanning named {answer!r:.200}, which had failed")
        case Again(approach) if past.failures[approach] > retries_of(task):
            return Drop(f"{approach!r:.200} failed {past.failures[approach]} times")
        case str(approach) | Again(approach):
            return Try(approach)
        case Graph() if detours_of(task) >= MOST_DETOURS:
            return Drop(f"other tasks came first {detours_of(task)} times")
        case Graph():
            return _first(task, answer)
        case GiveUp():
            return Drop(str(answer.reason) or told_past(past))
        case _:
            return Drop(f"replanning answered {type(answer).__name__}")


def _first(task: Record, graph: Graph) -> Next:
    """New tasks before this one; what names none would be answered for ever."""
    if {one.name for one in graph.tasks} <= {*awaited(task)}:
        return Drop("replanning named nothing new")
    return First(graph)


def _is_approach(said: object) -> bool:
    try:
        check_approach(said)
    except InvalidInputError:
        return False
    return True


def _failure(episode: Record) -> Failure:
    said = episode.data
    return Failure(*(str(said.get(name, "")) for name in ("task", "approach", "outcome")))
