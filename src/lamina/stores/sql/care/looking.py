"""What the checks share: a snapshot to look at, ways to tell of it, what counts as unreadable."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from lamina.core.settings import check_setting
from lamina.errors import LaminaError
from lamina.stores.base import Aids, Finding, Severity
from lamina.stores.sql.driver import Connection, Value, each, one

REPAIR: Final = "Run `lamina doctor --repair`"
RESTORE: Final = (
    "Write nothing more to it, keep a copy as it is, and restore from a backup or an export"
)
RECORDS: Final = "the records"
LOG: Final = "the log"
COPY: Final = "only a copy from before"
_MEANINGLESS: Final = (
    LaminaError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError,
    RecursionError,
)  # fmt: skip
_OFTEN: Final = 2000


@dataclass(slots=True)
class Look:
    """One snapshot of a store, and how much of it was read."""

    connection: Connection
    aids: Aids
    total: int = 1
    done: int = 0
    sids: frozenset[int] | None = None
    """The streams to look at; `None` looks at everything."""

    def each(self, sql: str, parameters: tuple[Value, ...] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a statement, which count as progress."""
        for row in each(self.connection, sql, parameters):
            self.step()
            yield row

    def covers(self, sid: int) -> bool:
        """Whether a stream is looked at."""
        return self.sids is None or sid in self.sids

    def step(self) -> None:
        """One more row was read."""
        self.done += 1
        if self.done % _OFTEN == 0:
            self.aids.tell(min(self.done / self.total, 1.0))


@dataclass(frozen=True, slots=True)
class Fix:
    """A column that follows from others and does not say what they say, and how to set it right."""

    what: str
    sql: str
    parameters: tuple[Value, ...]


def unreadable(connection: Connection) -> tuple[type[Exception], ...]:
    """What reading a damaged row can come to: from the driver, or from making a value of it."""
    return (connection.dialect.error, *_MEANINGLESS)


def measure(connection: Connection) -> int:
    """About how many rows a whole check reads."""
    try:
        versions = one(connection, "select max(vid) from version") or 0
        events = one(connection, "select sum(seq) from stream") or 0
        return 1 + 4 * int(versions) + 3 * int(events)
    except unreadable(connection):
        return 1


def derived(check: str, message: str, truth: str = RECORDS) -> Finding:
    """Something that a repair builds anew."""
    return Finding(check, Severity.DERIVED, message, REPAIR, truth)


def damaged(check: str, message: str, truth: str = COPY, remedy: str = RESTORE) -> Finding:
    """Something that no repair can know better."""
    return Finding(check, Severity.RECORD, message, remedy, truth)


def note(check: str, message: str, remedy: str) -> Finding:
    """Something that is not wrong, but may surprise."""
    return Finding(check, Severity.NOTE, message, remedy)


def is_choice(name: str, value: str) -> bool:
    """Whether a setting can have this value."""
    try:
        check_setting(name, value)
    except LaminaError:
        return False
    return True
