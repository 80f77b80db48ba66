"""`mem.curation`: what a person does who looks through memories and puts them right."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from lamina.core.changes import Move, Put
from lamina.core.draft import ContentFields, check_fields
from lamina.core.ids import RecordId, check_id
from lamina.core.layers import OWNERS
from lamina.curation.links import LONGEST, MOST, Links, Neighbour, Neighbourhood
from lamina.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lamina.core.changes import Receipt
    from lamina.core.record import Record
    from lamina.layers.face import Door
    from lamina.writing import WritePath

MOST_EDITS: Final = 1_000


class Edit(ContentFields, total=False):
    """What is to be different about one of several memories."""

    id: str
    text: str
    expect: int | None
    """The revision that it must have."""


@dataclass(frozen=True, slots=True)
class Undoing:
    """What taking back a change would do to one memory."""

    now: Record
    then: Record
    """As it would be; its revision is still that of now."""


class Curation:
    """The memories that a handle sees, to be looked through and put right."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._door.scope}>"

    def neighbours(self, name: str, *, limit: int = MOST) -> Neighbourhood:
        """What a memory, named by id or key, has to do with others, and what became of it.

        Only what this handle can see is among it. `limit` is from 1 to 24.
        """
        if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= MOST:
            raise InvalidInputError(f"`limit` must be from 1 to {MOST}, not {limit!r:.40}")
        record = self._door.get(name)
        links = Links(self._door, record)
        links.gather()
        ranked = links.ranked()
        there = {one.id for one in self._seen([one for one, _ in ranked])}
        near = [(one, ties) for one, ties in ranked if one in there]
        # Handed out one by one, so that each read is told like any other.
        shown = tuple(Neighbour(self._door.get(one), ties) for one, ties in near[:limit])
        return Neighbourhood(record, shown, len(near) - len(shown), self._chain(links))

    def edit(self, edits: Iterable[Edit]) -> Receipt:
        """Give several memories a new version each in one commit, which `undo` takes back whole.

        Raises:
            ConflictError: One of them has another revision than `expect` says; nothing was changed.
        """
        listed = [_checked(one) for one in edits]
        if not 0 < len(listed) <= MOST_EDITS:
            raise InvalidInputError(
                f"`edits` must be from 1 to {MOST_EDITS:,} memories, not {len(listed):,}"
            )
        if len({one["id"] for one in listed}) < len(listed):
            raise InvalidInputError(
                "a memory is to be edited twice at once", remedy="Name each once"
            )
        path = self._path
        return path.commit([_edit(path, one) for one in listed])

    def would_undo(self, tx: str) -> list[Undoing]:
        """What `undo` of a transaction would do, memory by memory; nothing is done by asking.

        Raises:
            ConflictError: It cannot be taken back (any more); the message says why.
        """
        undone = self._path.undo(RecordId(check_id(tx, "tx")))
        changes = [one for one in undone if isinstance(one, Put | Move)]
        ids = [_about(change) for change in changes]
        now = {one.id: one for one in self._seen(ids)}
        return [Undoing(now[one], _then(now[one], change))
                for one, change in zip(ids, changes, strict=True) if one in now]  # fmt: skip

    @property
    def _path(self) -> WritePath:
        return self._door.path_for(self._door.principal.surface)

    def _seen(self, ids: list[RecordId]) -> list[Record]:
        """The records within reach, in whatever state, without what says who may come in."""
        return self._door.store.get(self._door.reach.without(OWNERS), ids) if ids else []

    def _chain(self, links: Links) -> tuple[Record, ...]:
        """What was replaced, step by step, in both directions, however it branches."""
        record = links.record
        known, todo = {record.id: record}, [record]
        while todo and len(known) < LONGEST:
            one = todo.pop()
            older = self._seen([one.supersedes]) if one.supersedes else []
            for other in (*older, *links.newer(one)):
                if other.id not in known and len(known) < LONGEST:
                    known[other.id] = other
                    todo.append(other)
        return tuple(sorted(known.values(), key=lambda one: one.id))


def _checked(edit: Mapping[str, Any]) -> dict[str, Any]:
    check_fields(edit, Edit)
    said = dict(edit)
    said["id"] = check_id(said.get("id"))
    return said


def _edit(path: WritePath, edit: dict[str, Any]) -> Put:
    fields = {name: value for name, value in edit.items() if name not in ("id", "expect")}
    return path.edit(path.existing(edit["id"]), fields, edit.get("expect"))


def _about(change: Put | Move) -> RecordId:
    return (change.revises or change.id) if isinstance(change, Put) else change.id


def _then(now: Record, change: Put | Move) -> Record:
    if isinstance(change, Move):
        return replace(now, state=change.state)
    return replace(now.with_content(change.content), state=change.state or now.state)
