"""What every store must do. `lamina.testing.contract` is this file, executable.

A store keeps versions and events and answers one question at a time. It never decides what a
write means (`lamina.core.planning` does), never analyses text and never checks roles: it is
handed a reach and must not let anything beyond it show, neither bytes nor counts nor scores.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from lamina.core.filters import Filter
from lamina.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from lamina.core.access import Reach
    from lamina.core.changes import Commit, Event, Receipt, Version
    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.core.sealed import Sealed
    from lamina.core.text import Term


class Capability(StrEnum):
    """Something a store may be able to do; declared, never discovered by failing."""

    MANY_PROCESSES = "many_processes"
    """Several processes may use it at once."""
    DURABLE = "durable"
    """It outlives the process that wrote it."""
    SYNCED = "synced"
    """An acknowledged write survives a power cut; otherwise only what was flushed does."""
    SCRUBBED = "scrubbed"
    """Erased bytes are looked for on the medium itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Which records are wanted, in which order."""

    reach: Reach
    where: Filter = Filter()
    live_at: datetime | None = None
    """Leave out what is not current, or has expired by this instant; `None` keeps all states."""
    order_by: tuple[str | None, bool] = (None, True)
    """The field and whether the greatest comes first; no field means the order of creation."""
    limit: int | None = None

    def __post_init__(self) -> None:
        """Refuse what stores would read differently."""
        check_count(self.limit, "limit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Which records are wanted, best match first."""

    reach: Reach
    terms: tuple[Term, ...]
    where: Filter = Filter()
    live_at: datetime | None = None
    limit: int | None = 10

    def __post_init__(self) -> None:
        """Refuse what stores would read differently."""
        check_count(self.limit, "limit")


@dataclass(frozen=True, slots=True)
class Match:
    """A record found by its words."""

    record: Record
    score: float
    terms: tuple[str, ...]
    """The tokens of the query that the record holds, for highlighting and for explaining."""


def check_count(value: int | None, argument: str) -> None:
    """Refuse a negative number, which stores would read as all, none or all but some."""
    if value is not None and value < 0:
        raise InvalidInputError(f"`{argument}` must not be negative: {value}")


class Severity(StrEnum):
    """How much a finding matters."""

    OK = "ok"
    DERIVED = "derived"
    """Something that can be rebuilt from the records is wrong."""
    RECORD = "record"
    """The records themselves are damaged."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of looking over a store."""

    check: str
    severity: Severity
    message: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class ScrubReport:
    """Where erased bytes were looked for and what was found."""

    files: int = 0
    bytes: int = 0
    residue: tuple[str, ...] = field(default=())
    """Files that still hold erased bytes which no remaining record explains."""
    unlooked: tuple[str, ...] = field(default=())
    """Places of the store where copies may lie and it cannot look, such as a server's own log."""


class Store(Protocol):
    """Records, their versions and the log. Safe to share between threads.

    What lies beyond a `reach` does not exist for the call; where none is passed, the caller sees to
    it. Driver errors surface as `StoreError`. After an error it is unknown whether a commit took
    place: repeat it with the same idempotency key.

    Text compares by code point, numbers by their exact value, and null is less than anything. The
    order of creation is total within a stream; across streams it is that of the commits, as far as
    one was acknowledged before the other began.
    """

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What this store can do."""

    @property
    def location(self) -> str:
        """Where it is, for people; never with a password."""

    def commit(self, commit: Commit) -> Receipt:
        """Apply all changes or none, with one event for each record changed.

        The same idempotency key of the same principal returns the first receipt again.
        """

    def get(self, reach: Reach, ids: Sequence[RecordId]) -> list[Record]:
        """The newest versions of the records found, in the order asked for."""

    def find(self, reach: Reach, place: str) -> Record | None:
        """The current record in a slot."""

    def query(self, query: Query) -> list[Record]:
        """The newest versions that match, newest record first unless `order_by` says else."""

    def walk(self, reach: Reach, stream: str) -> Iterator[Record]:
        """Every record of a stream, oldest first, without holding them all.

        What exists from the first step to the last is met exactly once, whatever else is written or
        erased meanwhile.
        """

    def count(self, query: Query) -> int:
        """How many `query` would return without its limit."""

    def search(self, search: Search) -> list[Match]:
        """Rank records by words, best first; statistics are those of each record's stream."""

    def versions(self, reach: Reach, record_id: RecordId) -> list[Version]:
        """Every event of a record with its version, oldest first; empty when it is unknown."""

    def events(self, stream: str, *, after: int = 0, limit: int | None = 1000) -> list[Event]:
        """A stream's events behind a sequence number, in order."""

    def transaction(self, tx: RecordId) -> list[Event]:
        """The events of one commit, by stream and sequence."""

    def streams(self) -> list[str]:
        """The names of all streams, sorted."""

    def sealed(self, record_id: RecordId) -> list[Sealed]:
        """The sealed values of a record."""

    def has_sealed(self) -> bool:
        """Whether any record holds a sealed value."""

    def settings(self) -> Mapping[str, str]:
        """The settings chosen for this store."""

    def configure(self, name: str, value: str) -> None:
        """Choose a setting for every process on this store."""

    def tombstones(self, ids: Iterable[RecordId]) -> frozenset[RecordId]:
        """Those of the ids that were erased here and must not come back."""

    def saying(self, reach: Reach, texts: Sequence[str]) -> list[RecordId]:
        """Records of which any kept version holds one of these texts, in the order of creation."""

    def scrub(self, erased: Sequence[bytes]) -> ScrubReport:
        """Make sure that none of these bytes are left where the store keeps its own."""

    def check(self) -> list[Finding]:
        """Look the store over, without changing it."""

    def reindex(self, analyse: Callable[[Record], tuple[str, ...]]) -> int:
        """Build the keyword index anew and return how many records it holds.

        `analyse` is a pure function; it may be called more than once for a record.
        """

    def flush(self) -> None:
        """Make everything acknowledged as durable as this store can."""

    def close(self) -> None:
        """Release resources. Closing twice is fine."""
