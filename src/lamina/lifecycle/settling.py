"""Deciding on what waits: accepted as it is or put better, or rejected, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from lamina.core.access import check_settle
from lamina.core.canonical import check_text
from lamina.core.filters import parse
from lamina.core.ids import check_id
from lamina.core.layers import LAYERS, slot
from lamina.core.record import State
from lamina.errors import InvalidInputError, LaminaError
from lamina.layers.promoting import KNOWLEDGE
from lamina.stores.questions import Query

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.core.changes import Change, Receipt
    from lamina.core.record import Record
    from lamina.layers.face import Door
    from lamina.writing import WritePath

WAITING: Final = {"layer": {"$in": ["fact", KNOWLEDGE]}, "state": State.PROPOSED.value}
"""What is decided on: knowledge and facts that were proposed."""
_BOTH: Final = "it cannot be both accepted and rejected"
_WORDS_ALONE: Final = "better words are for what is accepted, and it was not named there"
_AT_ONCE: Final = 400
"""So many names are asked about at once."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What was decided."""

    receipt: Receipt | None
    """`undo` with its transaction takes all of it back; nothing when nothing was decided."""
    done: tuple[str, ...] = ()
    """The proposals that were decided on."""
    left: dict[str, str] = field(default_factory=dict)
    """Those that were not, and why."""


def settle(
    door: Door, accept: Iterable[str], reject: Iterable[str], edited: Mapping[str, str]
) -> Settled:
    """Decide on all that can be decided on, in one transaction; see `Review.settle`."""
    taken, refused = dict.fromkeys(accept), dict.fromkeys(reject)
    turn = _Turn(door, _texts(edited))
    turn.left |= dict.fromkeys(taken.keys() & refused.keys(), _BOTH)
    turn.left |= dict.fromkeys(turn.edited.keys() - taken.keys(), _WORDS_ALONE)
    for name in taken:
        turn.take(name, turn.accepted)
    for name in refused:
        turn.take(name, turn.rejected)
    receipt = turn.path.commit(turn.changes) if turn.changes else None
    return Settled(receipt, tuple(turn.done), turn.left)


def accept(door: Door, *ids: str, edited: Mapping[str, str] | None = None) -> Receipt | None:
    """Make proposals current, all or none."""
    turn = _Turn(door, _texts(edited or {}))
    changes = [one for name in dict.fromkeys(ids) for one in turn.accepted(turn.named(name))]
    return turn.path.commit(changes) if changes else None


def reject(door: Door, *ids: str) -> Receipt | None:
    """Hide proposals, all or none."""
    turn = _Turn(door, {})
    changes = [one for name in dict.fromkeys(ids) for one in turn.rejected(turn.named(name))]
    return turn.path.commit(changes) if changes else None


def standing(door: Door, proposals: Iterable[Record]) -> dict[str, Record]:
    """The current records whose places proposals would take, by place, in few questions.

    Also one whose time has run out: it holds the place until something else does.
    """
    asked: dict[tuple[str, str], dict[str, set[str]]] = {}
    for one in proposals:
        there = asked.setdefault((one.scope, one.layer), {"key": set(), "id": set()})
        if one.key is not None:
            there["key"].add(one.key)
        elif one.supersedes is not None:
            there["id"].add(one.supersedes)
    found: dict[str, Record] = {}
    for (scope, layer), named in asked.items():
        for part, names in named.items():
            # What has no key is no match for what has one, though it names it.
            where: dict[str, Any] = {"scope": scope, "layer": layer, "key": None}
            wanted = sorted(names)
            for start in range(0, len(wanted), _AT_ONCE):
                where |= {"state": "current", part: {"$in": wanted[start : start + _AT_ONCE]}}
                query = Query(reach=door.reach, where=parse(where))
                found |= {_place_of(one): one for one in door.store.query(query)}
    return found


def place_for(proposal: Record) -> str:
    """The place that a proposal would take: a slot, or the record that it was said against."""
    if proposal.key is None:
        return str(proposal.supersedes or proposal.id)
    return _place_of(proposal)


def _place_of(record: Record) -> str:
    if record.key is None:
        return str(record.id)
    return slot(LAYERS[record.layer], record.scope, record.kind, record.key)


def _check_waits(record: Record) -> None:
    if record.state is not State.PROPOSED:
        raise InvalidInputError(f"record {record.id} is {record.state.value}, not proposed")


class _Turn:
    """The changes of one transaction, as they come together."""

    def __init__(self, door: Door, edited: Mapping[str, str]) -> None:
        self.path: WritePath = door.path_for(door.principal.surface)
        self.changes: list[Change] = []
        self.done: list[str] = []
        self.left: dict[str, str] = {}
        self._door = door
        self.edited = edited
        self._taken: set[str] = set()
        """The places that proposals of this transaction come to hold."""

    def take(self, name: str, decide: Any) -> None:
        """Decide on one, unless something about it speaks against that."""
        if name in self.left:
            return
        try:
            changes = list(decide(self.named(name)))
        except LaminaError as error:
            self.left[name] = error.message
        else:
            self.changes += changes
            self.done.append(name)

    def named(self, name: str) -> Record:
        return self.path.existing(check_id(name))

    def rejected(self, proposal: Record) -> Iterator[Change]:
        _check_waits(proposal)
        yield self.path.move(proposal, State.FORGOTTEN)

    def accepted(self, proposal: Record) -> Iterator[Change]:
        check_settle(self._door.principal, proposal)
        _check_waits(proposal)
        self._check_alone(proposal)
        rival = standing(self._door, [proposal]).get(place_for(proposal))
        text = self.edited.get(proposal.id, proposal.text)
        if text == proposal.text:
            said, boxes = proposal, self._door.store.sealed(proposal.id)
        else:
            # Whoever puts it better has said it.
            put = self.path.edit(proposal, {"text": text}, proposal.rev)
            if rival is None:
                yield replace(put, state=State.CURRENT, proposal=False)
                return
            said = proposal.with_content(put.content)
            boxes = [*put.sealed, *self._door.store.sealed(proposal.id)]
        if rival is None:
            yield self.path.move(proposal, State.CURRENT)
            return
        replaced = self.path.revert(rival, replace(said, supersedes=proposal.id))
        yield replace(replaced, state=State.CURRENT, sealed=(*replaced.sealed, *boxes))
        yield self.path.move(proposal, State.SUPERSEDED)

    def _check_alone(self, proposal: Record) -> None:
        """Of those that compete for one place, one can be accepted."""
        place = place_for(proposal)
        if place in self._taken:
            raise InvalidInputError(
                f"record {proposal.id} competes with another that is accepted with it",
                remedy="Accept one of them, and reject the others",
            )
        self._taken.add(place)


def _texts(edited: Mapping[str, str]) -> dict[str, str]:
    if not isinstance(edited, Mapping):
        raise InvalidInputError(f"`edited` must say texts by id, not {edited!r:.40}")
    return {check_id(name): check_text(text, "edited") for name, text in edited.items()}
