"""Taking a capsule into a store: through the write path, and believed no further than a file."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol

from lamina.capsule.file import read
from lamina.core import canonical
from lamina.core.access import PUBLIC
from lamina.core.changes import Action
from lamina.core.ids import new_id
from lamina.core.principal import Role, Surface
from lamina.core.record import State, Trust
from lamina.core.scope import Scope
from lamina.core.sealed import references
from lamina.errors import ForbiddenError, InvalidInputError, SecretError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from lamina.capsule.file import Contents
    from lamina.core.access import Reach
    from lamina.core.changes import Adopt, Receipt
    from lamina.core.ids import RecordId
    from lamina.core.principal import Principal
    from lamina.core.record import Record
    from lamina.stores.base import Store
    from lamina.writing import WritePath

_PROMOTE: Final = "promote"
"""Where a note says what kind of project knowledge it becomes at the end of its task."""


class Owner(Protocol):
    """What taking in needs of a handle."""

    store: Store
    principal: Principal
    reach: Reach

    def path_for(self, surface: Surface) -> WritePath:
        """The write path, its changes marked with the door they came through."""


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What became of the notes of a capsule."""

    file: str
    scope: str
    """Where they are now."""
    own: bool
    """Whether this store made the capsule, so that its notes are believed as they were."""
    added: int = 0
    revised: int = 0
    unchanged: int = 0
    proposed: int = 0
    """Kept beside a note that already holds the same key."""
    forgotten: int = 0
    """Left as they are because they were forgotten here; `undo` brings them back."""
    erased: int = 0
    """Left out because they were erased here before."""
    unknown_secrets: int = 0
    """References whose sealed value is not in this store: capsules hold no values."""


def take_in(
    owner: Owner,
    path: str | Path,
    *,
    agent: str | None = None,
    task: str | None = None,
    via: str | None = None,
) -> TakenIn:
    """Bring the notes of a capsule into the notebook of an agent, all of them or none.

    They go to the project of the handle, to the agent and the task of the capsule unless others are
    named. A capsule that another store made is believed no more than a file; `via` may say less.
    Taken in again, it changes nothing.

    Raises:
        ForbiddenError: The handle is not an admin's: notes name their own times and sources.
        InvalidInputError: It is no capsule.
        StoreDamagedError: It was cut short, damaged or changed.
    """
    if owner.principal.role is not Role.ADMIN:
        raise ForbiddenError("only an admin takes in capsules", remedy="Open a handle as admin")
    found = read(path)
    place = _target(owner.principal, found, agent, task)
    writing = owner.path_for(Surface.IMPORT)
    own = _is_own(writing, found)
    addressed = _Addressed(place, own, _believed(own, via))
    notes = [(record.id, addressed.note(record)) for record in found.records]
    gone = owner.store.tombstones([one for first, note in notes for one in (first, note.id)])
    kept = [note for first, note in notes if first not in gone and note.id not in gone]
    here = {one.id: one for one in owner.store.get(owner.reach, [note.id for note in kept])}
    fresh = [note for note in kept if note.id not in here or _is_newer(note, here[note.id])]
    adopts = [writing.adopt(note) for note in fresh]
    done = _counted(writing.commit(adopts), fresh) if adopts else Counter[str]()
    hidden = sum(one.state is State.FORGOTTEN for one in here.values())
    return TakenIn(
        found.about.file, place.path, own, done["added"], done["revised"],
        len(kept) - len(fresh) - hidden, done["proposed"], hidden, len(notes) - len(kept),
        sum(_unknown(adopt) for adopt in adopts if adopt.record.id not in here),
    )  # fmt: skip


class _Addressed:
    """Makes the notes of a capsule those of another place."""

    def __init__(self, place: Scope, own: bool, believed: Trust) -> None:
        self._place, self._own, self._believed = place, own, believed
        self._ids: dict[str, RecordId] = {}

    def note(self, record: Record) -> Record:
        supersedes = None if record.supersedes is None else self._ids.get(record.supersedes)
        stays = self._own and record.scope == self._place.path
        self._ids[record.id] = record.id if stays else _derived(record, self._place)
        return replace(
            record,
            id=self._ids[record.id],
            scope=self._place.path,
            trust=Trust.lowest(record.trust, self._believed),
            # Who takes a note in has not made it public, nor said what is to become of it.
            tags=record.tags if stays else tuple(tag for tag in record.tags if tag != PUBLIC),
            data=record.data if stays else {k: v for k, v in record.data.items() if k != _PROMOTE},
            supersedes=record.supersedes if stays else supersedes,
        )


def _derived(record: Record, place: Scope) -> RecordId:
    """The id that a note from elsewhere has in a place: the same each time."""
    digest = hashlib.sha256(f"{place.path}\0{record.id}".encode()).digest()
    return new_id(int(record.created_at.timestamp() * 1000), digest)


def _target(principal: Principal, found: Contents, agent: str | None, task: str | None) -> Scope:
    origin = Scope.of(found.about.scope)
    root = principal.root or Scope.of(origin.stream)
    name = agent or origin.part("agent")
    if name is not None and root.part("agent") != name:
        if root.part("project") is None:
            raise InvalidInputError(
                f"`agent`: `{root}` has no agent {name!r:.80}", remedy="Name a project, or no agent"
            )
        root = root.child("agent", name)
    book = task or origin.part("task")
    if book is None:
        raise InvalidInputError("`task` is needed: the capsule names none", remedy="Name a task")
    return root.child("task", book)


def _is_own(writing: WritePath, found: Contents) -> bool:
    import hmac

    try:
        mine = writing.fingerprint(found.signed)
    except SecretError:
        # Without the key nothing can be known to be its own.
        return False
    return hmac.compare_digest(mine, found.signature)


def _believed(own: bool, via: str | None) -> Trust:
    most = Trust.USER if own else Trust.FILE
    try:
        return most if via is None else Trust.lowest(most, Trust(via))
    except ValueError:
        raise InvalidInputError(
            f"`via` is not a sort of source: {via!r:.40}", remedy=f"Use one of: {', '.join(Trust)}"
        ) from None


def _is_newer(note: Record, here: Record) -> bool:
    return here.state is not State.FORGOTTEN and note.rev > here.rev


def _counted(receipt: Receipt, asked: Iterable[Record]) -> Counter[str]:
    counted = Counter[str]()
    for outcome, note in zip(receipt.outcomes, asked, strict=True):
        if outcome.action is Action.REVISED:
            counted["revised"] += 1
        else:
            counted["added" if outcome.state is note.state else "proposed"] += 1
    return counted


def _unknown(adopt: Adopt) -> int:
    named = references(canonical.dumps([adopt.record.text, adopt.record.data]))
    return len(set(named) - {box.ref for box in adopt.sealed})
