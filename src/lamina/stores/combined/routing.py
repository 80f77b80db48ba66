"""Which of two stores a change or a question is for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from lamina.core.access import EVERYTHING
from lamina.core.changes import Adopt, Put
from lamina.core.filters import parse
from lamina.core.layers import HOT, LAYERS, slot
from lamina.stores.questions import Query

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.core.access import Reach
    from lamina.core.changes import Change, Commit
    from lamina.core.filters import Filter
    from lamina.core.ids import RecordId
    from lamina.stores.base import Store

_OLD: Final = Query(reach=EVERYTHING, where=parse({"layer": {"$in": sorted(HOT)}}), limit=1)


@dataclass(frozen=True, slots=True)
class Split:
    """A commit as the parts of it that belong to each store."""

    base: Commit
    hot: Commit
    is_hot: tuple[bool, ...]
    """For each change of the whole, whether it is in the hot part."""


class Routing:
    """Where things are: a record stays in the store in which it was born."""

    def __init__(self, base: Store) -> None:
        self._base = base
        self._has_old: bool | None = None

    def has_old(self) -> bool:
        """Whether the base holds records of hot layers, from before there was a store for them."""
        if self._has_old is None:
            self._has_old = bool(self._base.query(_OLD))
        return self._has_old

    def split(self, commit: Commit) -> Split:
        """Say of each change which store it belongs to."""
        there = self._in_base([_named(change) for change in commit.changes])
        known = {one: one not in there for one in map(_named, commit.changes) if one is not None}
        is_hot: list[bool] = []
        for change in commit.changes:
            is_hot.append(self._is_hot(change, commit, known))
            if isinstance(change, Put) and change.revises is None:
                # Later changes of the commit may be about it.
                known[change.id] = is_hot[-1]
        pairs = list(zip(commit.changes, is_hot, strict=True))
        cold = replace(commit, changes=tuple(change for change, hot in pairs if not hot))
        warm = replace(commit, changes=tuple(change for change, hot in pairs if hot))
        return Split(cold, warm, tuple(is_hot))

    def asks_hot(self, reach: Reach, where: Filter) -> bool:
        """Whether a question may be answered by hot records."""
        return bool(_layers(reach, where) & HOT)

    def asks_base(self, reach: Reach, where: Filter) -> bool:
        """Whether a question may be answered by the base."""
        layers = _layers(reach, where)
        return bool(layers - HOT) or (bool(layers & HOT) and self.has_old())

    def _is_hot(self, change: Change, commit: Commit, known: Mapping[RecordId, bool]) -> bool:
        match change:
            case Put(revises=None):
                return change.layer in HOT and not self._holds(change, commit)
            case Put(revises=str() as named):
                return change.layer in HOT and known[named]
            case Adopt():
                return change.record.layer in HOT and known[change.record.id]
        return known[change.id]

    def _holds(self, put: Put, commit: Commit) -> bool:
        """Whether a record of the base, from before, is the one that a write is about."""
        if put.key is None or not self.has_old():
            return False
        place = slot(LAYERS[put.layer], put.scope, put.content.kind, put.key)
        holder = self._base.find(EVERYTHING, place)
        return holder is not None and holder.is_live(commit.at)

    def _in_base(self, named: Sequence[RecordId | None]) -> frozenset[RecordId]:
        ids = [one for one in dict.fromkeys(named) if one is not None]
        found = self._base.get(EVERYTHING, ids) if ids else []
        return frozenset(record.id for record in found)


def layer_of(place: str) -> str:
    """The layer of a slot."""
    return place.split("\x1f")[1]


def _named(change: Change) -> RecordId | None:
    """The record that a change is about, where it says so by id."""
    match change:
        case Put():
            return change.revises
        case Adopt():
            return change.record.id
    return change.id


def _layers(reach: Reach, where: Filter) -> frozenset[str]:
    """The layers in which an answer may lie."""
    seen = frozenset[str]().union(*(grant.layers for grant in reach.grants))
    allowed = where.allowed("layer")
    return seen if allowed is None else seen & {str(one) for one in allowed}
