"""The two ends of a move: what each database does in its own way."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from lamina.core.ids import RecordId
from lamina.stores.base import Finding
from lamina.stores.questions import Found, Search
from lamina.stores.sql.driver import Connection, Row
from lamina.stores.sql.moving.tables import Table

T = TypeVar("T")


class MovableStore(Protocol):
    """What a move asks of the stores themselves."""

    @property
    def location(self) -> str:
        """Where it is, for people."""

    @property
    def identity(self) -> str:
        """What tells it from every other."""

    def settings(self) -> Mapping[str, str]:
        """Its settings."""

    def duty(self, name: str) -> AbstractContextManager[bool]:
        """Something that one process at a time does."""

    def search(self, search: Search) -> Found:
        """The best records for some words."""

    def audit(self, streams: Collection[str] | None = None) -> list[Finding]:
        """Whether its log is whole and the records follow from it."""

    def flush(self) -> None:
        """Make everything acknowledged durable, counts of use included."""

    def has_sealed(self) -> bool:
        """Whether any record holds a sealed value."""

    def close(self) -> None:
        """Release what is open."""


class End(Protocol):
    """One of the two stores of a move."""

    @property
    def store(self) -> MovableStore:
        """The store."""

    def read(self) -> AbstractContextManager[Connection]:
        """A connection on one snapshot, patient with long statements."""

    def hold(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in a write transaction while nobody else writes anything at all."""

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in a write transaction, patient with long statements."""

    def begin(self) -> None:
        """Get ready for being filled: rows come before those that they point to."""

    def neutral(self, table: Table, found: Sequence[Row]) -> list[Row]:
        """Rows as both ends know them: vectors as 16-bit floats."""

    def add(self, connection: Connection, table: Table, found: Sequence[Row]) -> None:
        """Add rows that are not there."""

    def add_spaces(self, connection: Connection, found: Iterable[Row]) -> None:
        """Add spaces of vectors: number, fingerprint, dimensions."""

    def settle(self, connection: Connection) -> None:
        """Work out what is kept besides the rows, once all of them are there."""

    def go_on(self, connection: Connection) -> None:
        """Have the next numbers come behind those that were copied."""

    def tombstones(self) -> dict[RecordId, str]:
        """What was erased, and when."""

    def bury(self, connection: Connection, tombstones: Mapping[RecordId, str]) -> None:
        """Add to what was erased."""
