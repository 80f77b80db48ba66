"""What every store must do. `lamina.testing.contract` is this file, executable.

A store keeps versions and events and answers one question at a time. It never decides what a
write means (`lamina.core.planning` does), never analyses text and never checks roles: it is
handed a reach and must not let anything beyond it show, neither bytes nor counts nor scores.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from lamina.core.access import Reach
    from lamina.core.announcements import Audience, Noted, Notice
    from lamina.core.arranging import Arranged
    from lamina.core.chain import Head
    from lamina.core.changes import Changed, Commit, Event, Receipt, Version
    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.core.retention import Pruned, Retention
    from lamina.core.sealed import Sealed
    from lamina.core.usage import Usage
    from lamina.core.vectors import Embedded, Progress
    from lamina.results import BackupReport
    from lamina.stores.questions import Found, Lot, Query, Search


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
    BACKUP = "backup"
    """It can be copied whole into one file while it is in use."""
    EVERY_LAYER = "every_layer"
    """It keeps every layer; otherwise only those that are `hot`, and refuses the others."""
    PAST = "past"
    """It answers as of a place in the past; otherwise such a question is refused."""
    CHAINED = "chained"
    """It keeps every event for good, and each seals those before it, so that an audit finds what
    was altered; otherwise only the newest events stay."""
    EXPIRING = "expiring"
    """What has run out is gone by itself; otherwise it stays until it is taken away."""


WHOLE: Final = frozenset({Capability.EVERY_LAYER, Capability.PAST, Capability.CHAINED})
"""What a store of a whole memory can do."""


class Severity(StrEnum):
    """How much a finding matters."""

    OK = "ok"
    NOTE = "note"
    """Nothing is damaged, but somebody should know."""
    DERIVED = "derived"
    """Something that can be rebuilt from the records is wrong."""
    RECORD = "record"
    """The records themselves are damaged."""

    @property
    def is_damage(self) -> bool:
        """Whether something is wrong."""
        return self in (Severity.DERIVED, Severity.RECORD)


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of looking over a store."""

    check: str
    severity: Severity
    message: str
    remedy: str = ""
    truth: str = ""
    """Which side is right, where two that should agree do not."""


@dataclass(frozen=True, slots=True)
class Aids:
    """What a store does not know by itself, lent to it for looking itself over."""

    analyse: Callable[[Record], tuple[str, ...]] | None = None
    """The words that a record is to be found by."""
    opens: Callable[[Sealed], bool] | None = None
    """Whether a sealed value can be opened; it is not shown to anybody."""
    beside: bool = True
    """Whether what belongs beside the store is there; a copy in the making lies apart from it."""
    tell: Callable[[float], None] = lambda share: None
    """Told how much is done, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Repair:
    """What was built anew."""

    indexed: int
    """How many records the keyword index holds."""
    done: tuple[str, ...] = ()
    """What else was wrong and is not any more, in sentences."""


@dataclass(frozen=True, slots=True)
class ScrubReport:
    """Where erased bytes were looked for and what was found."""

    files: int = 0
    bytes: int = 0
    residue: tuple[str, ...] = field(default=())
    """Files that still hold erased bytes which no remaining record explains."""
    unlooked: tuple[str, ...] = field(default=())
    """Places of the store where copies may lie and it cannot look, such as a server's own log."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some of what happened, in order."""

    changes: tuple[Changed, ...]
    position: Mapping[str, Head]
    """How far this has read in each stream that had anything new, also where all was hidden."""


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

    @property
    def identity(self) -> str:
        """What tells this store from every other, for as long as it exists."""

    def commit(self, commit: Commit) -> Receipt:
        """Apply all changes or none, with one event for each record changed.

        The same idempotency key of the same principal returns the first receipt again.
        """

    def get(
        self, reach: Reach, ids: Sequence[RecordId], *, as_of: Mapping[str, int] | None = None
    ) -> list[Record]:
        """The newest versions of the records found, in the order asked for.

        As of a place in the past, the versions of that time, as far as they are kept.
        """

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

    def census(self, query: Query) -> list[Lot]:
        """How many `query` would return, and their tokens, by scope, layer and state, sorted."""

    def search(self, search: Search) -> Found:
        """The best records by words and the nearest, each with all its scores.

        Statistics are those of each record's stream, as far as it lies within the reach: what is
        beyond moves no score and no count. As of a place in the past, the answer is the
        one that was right then, scores included, except that a version replaced since has no
        vector any more. A vector of other dimensions than its space is compared with nothing, and
        the answer says so.
        """

    def unembedded(self, space: str, limit: int) -> list[Record]:
        """Some of the indexed records whose newest version has no vector of a space yet."""

    def waits(self, space: str, reach: Reach) -> bool:
        """Whether any of these lies within reach; very many may be looked at in part, newest first.

        How far the others' vectors have come is nothing for who cannot see them.
        """

    def embed(self, space: str, made: Sequence[Embedded], *, wait: bool = True) -> int:
        """Keep vectors, and return of how many records; one of an older version is left out.

        A space that is new to the store begins here; all its vectors have the same dimensions.
        Without `wait`, a store that others keep busy raises `StoreUnavailableError` soon.
        """

    def progress(self, space: str) -> Progress:
        """How far the vectors of a space have come."""

    def spaces(self) -> list[str]:
        """The spaces that the store keeps vectors of, sorted."""

    def dimensions(self, space: str) -> int:
        """How long the vectors of a space are; 0 where the store keeps none."""

    def leave_space(self, space: str) -> None:
        """Drop all vectors of a space."""

    def fold(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Build or join what only makes searches faster; nothing that can be found changes."""

    def fold_is_due(self) -> bool:
        """Whether folding would make searches faster; cheap to ask."""

    def duty(self, name: str) -> AbstractContextManager[bool]:
        """Take up a duty that one process at a time sees to; whether it is this one's now.

        It is let go when the process ends, however it ends.
        """

    def versions(self, reach: Reach, record_id: RecordId) -> list[Version]:
        """Every event of a record with its version, oldest first; empty when it is unknown."""

    def events(self, stream: str, *, after: int = 0, limit: int | None = 1000) -> list[Event]:
        """A stream's events behind a sequence number, in order."""

    def transaction(self, tx: RecordId) -> list[Event]:
        """The events of one commit, by stream and sequence."""

    def streams(self) -> list[str]:
        """The names of all streams, sorted."""

    def position(
        self, streams: Collection[str] | None = None, *, at: datetime | None = None
    ) -> dict[str, Head]:
        """How far streams have come, or had come at an instant; empty ones are left out."""

    def changes(self, reach: Reach, after: Mapping[str, int], limit: int) -> Page:
        """What happened behind a place, at most `limit` events, each stream in its own order.

        Across streams the older comes first. Events of an erased record are shown to those who see
        its whole stream.
        """

    def pulse(self) -> int:
        """A number that differs after every change, by whatever process; for `wait`."""

    def wait(self, pulse: int, seconds: float) -> bool:
        """Sleep until something may have changed since `pulse`, or the time is up.

        Ask for the pulse first, then read, then wait: so nothing falls in between.
        """

    def note(self, notices: Sequence[Notice]) -> None:
        """Keep what was announced, outside the log: as well as can be, and only the newest.

        It may be held back for a moment, and costs the caller no wait. One about a record that is
        gone is not kept, and every erase takes them all away: a query may quote what was erased.
        """

    def noted(self, audience: Audience, after: int, limit: int) -> Noted:
        """Of the next `limit` notices behind a number, in order, those that the audience hears.

        What this store was told itself is among them at once.
        """

    def note_use(self, used: Mapping[RecordId, int], at: datetime, root: str = "") -> None:
        """Count records as having been of use, so often each, to those confined to a root.

        Outside the log, and as well as can be: it costs the caller no wait, changes no record,
        wakes nobody at once, and what a process had not written when it was killed is lost. One
        that is gone is not counted, and an erase takes the counts of its record away.
        """

    def usage(self, reach: Reach, ids: Sequence[RecordId]) -> dict[RecordId, Usage]:
        """How often those of the records that lie within reach were of use, and when last.

        Of a record that others see too, only what is known within the reach counts. What this store
        was told itself is among it at once; a record that was never of use is left out.
        """

    def newest_instant(self) -> datetime | None:
        """When the newest event of any stream happened; `None` while there is none."""

    def sealed(self, record_id: RecordId) -> list[Sealed]:
        """The sealed values of a record."""

    def has_sealed(self) -> bool:
        """Whether any record holds a sealed value."""

    def settings(self) -> Mapping[str, str]:
        """The settings chosen for this store."""

    def configure(self, name: str, value: str | None, *, wait: bool = True) -> None:
        """Choose a setting for every process on this store; `None` takes the choice back.

        Without `wait`, a store that others keep busy raises `StoreUnavailableError` soon.
        """

    def tombstones(self, ids: Iterable[RecordId]) -> frozenset[RecordId]:
        """Those of the ids that were erased here and must not come back."""

    def saying(self, reach: Reach, texts: Sequence[str]) -> list[RecordId]:
        """Records of which any kept version holds one of these texts, in the order of creation.

        Wherever in it: in its text, its key, its tags, or inside its data.
        """

    def scrub(self, erased: Sequence[bytes]) -> ScrubReport:
        """Make sure that none of these bytes are left where the store keeps its own."""

    def check(self, aids: Aids | None = None) -> list[Finding]:
        """Look the store over, without changing it; with aids it can look closer."""

    def repair(
        self,
        analyse: Callable[[Record], tuple[str, ...]],
        tell: Callable[[float], None] = lambda share: None,
    ) -> Repair:
        """Build anew whatever can be worked out from the records, which are left as they are.

        Raises:
            StoreDamagedError: The records themselves are damaged; nothing was changed.
        """

    def audit(self, streams: Collection[str] | None = None) -> list[Finding]:
        """Whether the log of these streams, or of all, is whole and the records follow from it.

        Each event follows from the one before, the newest are there, and each version that is kept
        says what its event recorded.
        """

    def reindex(self, analyse: Callable[[Record], tuple[str, ...]]) -> int:
        """Build the keyword index anew and return how many records it holds.

        Texts that an embedder could not take wait for their vectors again.
        `analyse` is a pure function; it may be called more than once for a record.
        """

    def prunable(self, retention: Retention) -> Pruned:
        """What `prune` would take away, among what there is."""

    def prune(self, retention: Retention) -> Pruned:
        """Take away versions that were replaced, and receipts, where the retention lets them go.

        The newest version of a record stays, and every event does. What goes is gone in steps, each
        of them whole: an interrupted prune has done part of the work.
        """

    def arrange(self, *, dry_run: bool = False) -> list[Arranged]:
        """Give what has grown large a place of its own, and take back what is empty.

        Nothing that can be read changes, and everybody goes on reading and writing meanwhile.
        """

    def tidy(self) -> bool:
        """Bring home what is kept apart for speed, such as a log of writes, and free its room.

        Nothing that can be read changes. False means that somebody was reading and it has to wait.
        """

    def backup(self, path: Path, tell: Callable[[float], None]) -> BackupReport:
        """Write one committed state into a new file, read it back, and only then give it its name.

        `tell` hears the share that is done. Refused by a store that does not claim `BACKUP`.
        """

    def flush(self) -> None:
        """Make everything acknowledged as durable as this store can."""

    def close(self) -> None:
        """Release resources. Closing twice is fine."""
