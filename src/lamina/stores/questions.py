"""Questions to a store and what it answers: filters without ranking, and searches."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final

from lamina.core import canonical
from lamina.core.filters import ORDERABLE, Filter, matches, order_key
from lamina.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from lamina.core.access import Reach
    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.core.text import Term
    from lamina.core.vectors import Sample, Vector

AROUND: Final = 40
"""How many of the best by words, and of the nearest, have what was said around them come along."""


@dataclass(frozen=True, slots=True, order=True)
class Lot:
    """Records that have scope, layer and state in common."""

    scope: str
    layer: str
    state: str
    records: int
    tokens: int
    """What they have together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Which records are wanted, in which order."""

    reach: Reach
    where: Filter = Filter()
    live_at: datetime | None = None
    """Leave out what is not current, or has expired by this instant; `None` keeps all states."""
    as_of: Mapping[str, int] | None = None
    """Ask about the past: how far each stream had come then. A stream not named was empty."""
    order_by: tuple[str | None, bool] = (None, True)
    """The field and whether the greatest comes first; no field means the order of creation."""
    limit: int | None = None

    def __post_init__(self) -> None:
        """Refuse what stores would read differently.

        Stores write the field of the order into their own language, wherever it comes from.
        """
        check_count(self.limit, "limit")
        field, _ = self.order_by
        if field is not None and field not in ORDERABLE:
            raise InvalidInputError(f"`order_by` is not a field to sort by: {field!r:.40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Which records are wanted, best match first."""

    reach: Reach
    terms: tuple[Term, ...]
    where: Filter = Filter()
    vector: Vector | None = None
    """The question as a point: what lies near it is wanted as well."""
    around: bool = False
    """Whether to bring along what was said right after the best, and the two turns before."""
    live_at: datetime | None = None
    as_of: Mapping[str, int] | None = None
    limit: int | None = 10
    """How many by words, and as many again by nearness."""

    def __post_init__(self) -> None:
        """Refuse what stores would read differently."""
        check_count(self.limit, "limit")


@dataclass(frozen=True, slots=True)
class Match:
    """A record found by its words, by its nearness, or beside one that was."""

    record: Record
    score: float
    """By words; 0 when it holds none of them."""
    terms: tuple[str, ...]
    """The tokens of the query that the record holds, for highlighting and for explaining."""
    coverage: float = 0.0
    """How much of what the query's words tell it holds, from 0 to 1."""
    cosine: float | None = None
    """How near it lies to the question; `None` without a vector of that space."""
    before: RecordId | None = None
    """In a layer told in order, the match that was said right before it in the same scope."""


MISFIT: Final = (
    "vectors: the embedder makes others than it did, of other dimensions; `lamina reindex` makes"
    " them anew"
)
"""Why a vector was compared with nothing."""


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to a search."""

    matches: tuple[Match, ...] = ()
    """Best by words first, then the nearest, then what stands around them."""
    general: Sample | None = None
    """How near records within reach lie to the question in general, by a sample of them."""
    worths: Mapping[str, float] = field(default_factory=dict)
    """What each term of the query tells in the stream that has most documents within reach."""
    documents: int = 0
    """How many documents within reach that stream has."""
    expired: int = 0
    """Records among the best by words that were left out because their time has run out."""
    degraded: tuple[str, ...] = ()
    """What could not take part, or not as it should, in words for people."""


def check_count(value: int | None, argument: str) -> None:
    """Refuse a negative number, which stores would read as all, none or all but some."""
    if value is not None and value < 0:
        raise InvalidInputError(f"`{argument}` must not be negative: {value}")


def in_lots(records: Iterable[Record]) -> list[Lot]:
    """Records counted by what they have in common, for stores that have them all at hand."""
    sizes: dict[tuple[str, str, str], tuple[int, int]] = {}
    for one in records:
        lot = (one.scope, one.layer, one.state.value)
        many, tokens = sizes.get(lot, (0, 0))
        sizes[lot] = (many + 1, tokens + one.tokens)
    return sorted(Lot(*lot, *size) for lot, size in sizes.items())


def wanted(query: Query) -> Callable[[Record], bool]:
    """Whether a record is one that a query is about, for stores that have them at hand."""
    # Many records lie in few scopes.
    covers = cache(query.reach.covers)

    def is_wanted(record: Record) -> bool:
        return (
            covers(record.scope, record.layer)
            and (query.live_at is None or record.is_live(query.live_at))
            and matches(record, query.where)
        )

    return is_wanted


def in_order(oldest_first: list[Record], query: Query) -> list[Record]:
    """What matched, as the query wants it, for stores that have them all at hand."""
    field, descending = query.order_by
    found = oldest_first[::-1] if field is not None or descending else oldest_first
    if field is not None:
        # Sorting is stable: beginning with the newest keeps them in front among equals.
        found.sort(key=lambda record: order_key(record, field), reverse=descending)
    return found[: query.limit]


def saying(texts: Iterable[str]) -> Callable[[Record], bool]:
    """Whether a version holds one of these texts: in its text, its key, its tags or its data."""
    asked = list(texts)
    needles = {*asked, *map(canonical.inner, asked)}

    def says(version: Record) -> bool:
        written = canonical.dumps([version.data, *version.tags])
        said = f"{version.text}\n{version.key or ''}\n{written}"
        return any(needle in said for needle in needles)

    return says
