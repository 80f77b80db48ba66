"""Changes, events and receipts: the one write verb as values.

A caller's request becomes a `Commit` of changes; a store answers with a `Receipt`; the log keeps
an `Event` for each record changed. Events hold no content: ids, revisions, salted digests, who
and when.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from lamina.core.cursor import Cursor
from lamina.core.ids import RecordId
from lamina.core.layers import Durability
from lamina.core.principal import Principal
from lamina.core.record import Content, Record, State
from lamina.core.sealed import Sealed


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """Write content: a new record, or a new version of the one that holds the key or the id."""

    id: RecordId
    """The id that a new record gets."""
    scope: str
    layer: str
    key: str | None = None
    content: Content
    state: State | None = None
    """The state asked for; otherwise current, or unchanged for a record that exists."""
    proposal: bool = False
    """Whether the writer may only propose: what is current then stays."""
    revises: RecordId | None = None
    """The record that gets a new version, when it is named by id: an edit or an undo."""
    expect: int | None = None
    """Compare-and-set: the revision the writer saw; 0 says that there must be none."""
    terms: tuple[str, ...] = ()
    """Index tokens of the new version, from the analyser."""
    sealed: tuple[Sealed, ...] = ()
    lifetime: str = ""
    """The expiry as the caller gave it: `7d` is the same request tomorrow, its instant is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Give a record another state: forget, restore, archive, supersede."""

    id: RecordId
    state: State
    expect: int | None = None
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopt:
    """Take in a version as it is, times and revision included: import and restore."""

    record: Record
    terms: tuple[str, ...] = ()
    sealed: tuple[Sealed, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Erase:
    """Remove a record with all its versions; only its events stay."""

    id: RecordId


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """Note in the log that a sealed value of this record was read."""

    id: RecordId


Change: TypeAlias = Put | Move | Adopt | Erase | Witness


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """Changes that happen together or not at all."""

    changes: tuple[Change, ...]
    by: Principal
    at: datetime
    tx: RecordId
    idempotency_key: str | None = None
    request: str = ""
    """A digest of what was asked, so that a key used for something else is noticed."""


class Action(StrEnum):
    """What a change did."""

    CREATED = "created"
    REVISED = "revised"
    UNCHANGED = "unchanged"
    PROPOSED = "proposed"
    """Kept for review beside the current record, which stays."""
    MOVED = "moved"
    ADOPTED = "adopted"
    ERASED = "erased"
    WITNESSED = "witnessed"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one change."""

    id: RecordId
    rev: int
    action: Action
    state: State | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a commit did and how durable it is."""

    tx: RecordId
    outcomes: tuple[Outcome, ...]
    seqs: tuple[tuple[str, int], ...]
    """The last sequence number written in each stream."""
    durability: Durability
    pending: tuple[str, ...] = ()
    """Work that follows the commit, such as embedding; empty when nothing is owed."""
    repeated: bool = False
    """Whether this is the receipt of an earlier call with the same idempotency key."""
    sealed: tuple[str, ...] = ()
    """References of the secrets that were found and sealed on the way in."""

    @property
    def id(self) -> RecordId:
        """The id of the first record changed."""
        return self.outcomes[0].id

    @property
    def rev(self) -> int:
        """The revision of the first record changed."""
        return self.outcomes[0].rev

    @property
    def action(self) -> Action:
        """What happened to the first record."""
        return self.outcomes[0].action


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One link of a stream's chain: that a record changed, not what it says."""

    stream: str
    seq: int
    tx: RecordId
    record: RecordId
    rev: int
    action: Action
    actor: str
    surface: str
    at: datetime
    digest: str
    """Salted digest of the version; the salt lies with the version and goes with it."""
    hash: str = field(default="")
    """This event and everything before it in the stream."""


@dataclass(frozen=True, slots=True)
class Version:
    """One state of a record in its history; `record` is `None` when it was erased or pruned."""

    event: Event
    record: Record | None


@dataclass(frozen=True, slots=True)
class Changed:
    """One entry of the change feed: an event with the version it made and the one before it."""

    event: Event
    record: Record | None
    """What the record said then; `None` when it was erased since, or that version is not kept."""
    before: Record | None = None
    """The version that it took the place of, as far as it is kept."""
    place: Cursor | None = None
    """Where the feed is behind this change; nothing until a feed has handed it out."""

    @property
    def cursor(self) -> str:
        """The place right behind this change: pass it to `changes(after=…)` to go on from here."""
        return "" if self.place is None else self.place.to_text()
