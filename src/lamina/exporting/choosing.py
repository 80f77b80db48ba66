"""Which memories are exported, and in which order."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from lamina.core.access import Reach
from lamina.core.filters import Filter, parse
from lamina.core.layers import OWNERS, layer_named
from lamina.core.names import check_kind
from lamina.core.record import Record, State, Trust
from lamina.memory import Memory
from lamina.stores.questions import Query


@dataclass(frozen=True, slots=True)
class Chosen:
    """The layers and kinds that are wanted; all of them where none is named.

    Raises:
        InvalidInputError: There is no such layer, or a kind cannot be called so.
    """

    layers: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in self.layers:
            layer_named(name)
        for name in self.kinds:
            check_kind(name)

    @property
    def where(self) -> Filter:
        """The same as a filter."""
        asked: dict[str, Any] = {}
        if self.layers:
            asked["layer"] = {"$in": list(self.layers)}
        if self.kinds:
            asked["kind"] = {"$in": list(self.kinds)}
        return parse(asked)

    def has(self, record: Record) -> bool:
        """Whether a record is wanted."""
        return (not self.layers or record.layer in self.layers) and (
            not self.kinds or record.kind in self.kinds
        )


def leaving(mem: Memory) -> Reach:
    """What leaves the store: never who may come in, which is nobody else's."""
    return mem.reach.without(OWNERS)


class Group(NamedTuple):
    """What stands together: one layer of one scope, apart from what tools and the web said."""

    scope: str
    layer: str
    is_hearsay: bool


def group_of(record: Record) -> Group:
    """Where a record belongs."""
    return Group(record.scope, record.layer, record.trust.rank < Trust.FILE.rank)


def current(mem: Memory, chosen: Chosen) -> Iterator[Record]:
    """What stands now, stream by stream, without holding it all."""
    for stream in mem.store.streams():
        for record in mem.store.walk(leaving(mem), stream):
            if record.state is State.CURRENT and chosen.has(record):
                yield record


def groups(mem: Memory, chosen: Chosen) -> list[Group]:
    """The groups that hold something, in the order of their scopes."""
    return sorted({group_of(record) for record in current(mem, chosen)})


def members(mem: Memory, chosen: Chosen, group: Group) -> list[Record]:
    """The records of a group, oldest first."""
    here = parse({"scope": group.scope, "layer": group.layer, "state": State.CURRENT.value})
    query = Query(reach=leaving(mem), where=here & chosen.where, order_by=("created_at", False))
    return [record for record in mem.store.query(query) if group_of(record) == group]
