"""What is recalled for a question, by tier: of the task at hand, of the project, of everywhere."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from lamina.core.scope import Scope
from lamina.errors import StoreUnavailableError
from lamina.paging.choosing import Candidate
from lamina.paging.lines import line_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.core.record import Record
    from lamina.layers.face import Door
    from lamina.paging.asking import Asked
    from lamina.recalling import How, Recalls
    from lamina.results import Hit

_TOKENS_EACH: Final = 50
"""What a memory takes, about: so many come into question that they would fill the budget."""
_FEWEST: Final = 24
_MOST: Final = 200
_NOTES: Final = 40


def found_by(
    door: Door, recalls: Recalls, query: str, asked: Asked
) -> tuple[Sequence[Hit], tuple[str, ...]]:
    """What recall finds, and what it had to do without.

    Nothing where nothing was asked, nor what stands before the model.
    """
    if isinstance(query, str) and not query.strip():
        return (), ()
    how: How = {
        "k": min(_MOST, max(_FEWEST, asked.budget // _TOKENS_EACH)), "layers": asked.layers
    }  # fmt: skip
    if asked.now is not None:
        how["now"] = asked.now
    if asked.session is not None and "session" in asked.layers:
        how["where"] = {"scope": {"$ne": door.scope.child("session", asked.session).path}}
    found = recalls.find(query, how)
    return found.hits, found.degraded


def in_tiers(door: Door, hits: Sequence[Hit], asked: Asked) -> dict[str, list[Candidate]]:
    """What comes into question, by tier, the likeliest first."""
    tiers: dict[str, list[Candidate]] = {"task": [], "project": [], "global": []}
    at_hand = _at_hand(door, asked.task) if asked.task else []
    for record in at_hand[:1]:
        tiers["task"].append(_candidate(record, "task", None, asked))
    for hit in hits:
        tier = tier_of(hit.record, asked.task)
        tiers[tier].append(_candidate(hit.record, tier, hit.score, asked))
    found = {hit.record.id for hit in hits}
    # What was written down at the task counts even if the question has none of its words.
    for record in at_hand[1:]:
        if record.id not in found:
            tiers["task"].append(_candidate(record, "task", None, asked))
    return tiers


def tier_of(record: Record, task: str | None) -> str:
    """Which tier a memory belongs to; where a task is at hand, others' notes are the project's."""
    scope = Scope.of(record.scope)
    if scope.stream == "global":
        return "global"
    named = scope.part("task")
    if task is None:
        return "project" if named is None else "task"
    is_its = record.layer == "task" and record.key == task
    return "task" if is_its or task in (named, record.data.get("task")) else "project"


def _at_hand(door: Door, task: str) -> list[Record]:
    """The task itself, and what this agent wrote down at it, newest first."""
    root = door.principal.common.path
    itself: list[Record] = []
    # Hot state says that tasks are out of reach, and why.
    with suppress(StoreUnavailableError):
        itself = door.query({"layer": "task", "scope": root, "key": task}, limit=1)
    where = {"layer": "notebook", "scope": door.scope.child("task", task).path}
    return itself + door.query(where, limit=_NOTES)


def _candidate(record: Record, tier: str, score: float | None, asked: Asked) -> Candidate:
    return Candidate(record, line_of(record, asked.count), tier, score)
