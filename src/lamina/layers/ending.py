"""The end of a task: what its notes become, as changes of the commit that ends it.

What was marked is promoted first, then the notes are put aside. Because all of it is one commit
with the new status, there is no moment at which only half of it has happened.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from lamina.core.record import State
from lamina.core.scope import Scope
from lamina.core.settings import in_force
from lamina.errors import InvalidInputError
from lamina.layers.face import every
from lamina.layers.promoting import mark_of, promotions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from lamina.core.changes import Change, Put
    from lamina.core.record import Record
    from lamina.layers.face import Door
    from lamina.writing import WritePath


class Fate(StrEnum):
    """What becomes of the notes when a task ends."""

    ARCHIVE = "archive"
    DISCARD = "discard"
    KEEP = "keep"


_STATE: Final = {Fate.ARCHIVE: State.ARCHIVED, Fate.DISCARD: State.FORGOTTEN}


def check_fate(notebook: object) -> Fate:
    """What is to become of the notes, as a caller says it."""
    try:
        return Fate(str(notebook))
    except ValueError:
        raise InvalidInputError(
            f"`notebook` is not something that notes can become: {notebook!r:.40}",
            remedy=f"Use one of: {', '.join(Fate)}",
        ) from None


def put_aside(
    door: Door, path: WritePath, root: str, tasks: Collection[str], fate: Fate
) -> list[Change]:
    """The changes that promote and put aside every note on these tasks within reach."""
    notes = list(notes_on(door, root, tasks))
    marked = [(note, kind) for note in notes if (kind := mark_of(note)) is not None]
    promoted = [reviewed(door, put) for put in promotions(door, path, marked, Scope.of(root))]
    if fate is Fate.KEEP:
        return [*promoted]
    return [*promoted, *(path.move(note, _STATE[fate]) for note in notes)]


def reviewed(door: Door, put: Put) -> Put:
    """Where knowledge is reviewed, ending a task is no review of what others have marked."""
    if put.content.source == door.principal.name:
        return put
    review = in_force(door.store.settings(), "knowledge.accept") == "review"
    return replace(put, proposal=put.proposal or review)


def taken_up(door: Door, path: WritePath, root: str, task: str) -> list[Change]:
    """The changes that bring the archived notes on a task back, as it is opened again."""
    held = {(note.scope, note.key) for note in notes_on(door, root, [task]) if note.key}
    archived = notes_on(door, root, [task], State.ARCHIVED)
    return [
        path.move(note, State.CURRENT) for note in archived if (note.scope, note.key) not in held
    ]


def notes_on(
    door: Door, root: str, tasks: Collection[str], state: State = State.CURRENT
) -> Iterator[Record]:
    """The notes on some tasks: an agent sees its own, an orchestrator those of all agents."""
    found = every(door, {"layer": "notebook", "state": state.value}, scope=root)
    return (note for note in found if Scope.of(note.scope).part("task") in tasks)
