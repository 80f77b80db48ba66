"""A subscription: the changes of a blackboard as they come, made by whatever process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from lamina import clock
from lamina.core.canonical import check_text
from lamina.core.record import State
from lamina.feed import check_timeout

if TYPE_CHECKING:
    from datetime import datetime

    from lamina.core.changes import Changed
    from lamina.core.record import Record
    from lamina.layers.face import Door

SIGNAL: Final = "signal"
WHOLE: Final = "value"
_BOARD: Final = "blackboard"


@dataclass(frozen=True, slots=True)
class Signal:
    """What stands on the board under a key."""

    key: str
    value: Any
    publisher: str
    published_at: datetime
    rev: int
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class News:
    """A change of the board; its signal is gone when `signal` is nothing."""

    key: str
    signal: Signal | None
    cursor: str
    """Where to go on from after this one."""


class Subscription(Iterator[News]):
    """News of keys that begin so; iterate over it.

    `cursor` is the place behind the last news that was handed out: whoever keeps it can go on from
    there later, in another process too, with nothing missed and nothing twice.
    """

    def __init__(
        self, door: Door, scope: str, prefix: str, after: str | None, timeout: float | None
    ) -> None:
        self._scope = scope
        self._prefix = check_text(prefix, "prefix")
        self._timeout = check_timeout(timeout)
        start = door.cursor() if after is None else after
        self._feed = door.changes(start, scope=scope, follow=True)

    @property
    def cursor(self) -> str:
        """Where it is, for going on from there another time."""
        return self._feed.cursor

    def __next__(self) -> News:
        found = self._next()
        if found is None:
            raise StopIteration
        return found

    def next_of(self, key: str) -> Signal | None:
        """The next signal under exactly this key; nothing when time runs out."""
        found = self._next(check_text(key, "key"))
        return None if found is None else found.signal

    def close(self) -> None:
        """End it; an iteration that waits in another thread ends within a second."""
        self._feed.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _next(self, key: str | None = None) -> News | None:
        """The next news, or the next signal under a key, before time runs out.

        Time runs while other things happen in the project, which are none of its business.
        """
        start = clock.stopwatch()
        while True:
            if self._timeout is not None:
                self._feed.patience = max(0.0, start + self._timeout - clock.stopwatch())
            change = next(self._feed, None)
            if change is None:
                return None
            found = self._news(change)
            if found is not None and (key is None or (found.key == key and found.signal)):
                return found

    def _news(self, change: Changed) -> News | None:
        return to_news(change) if is_news(change, self._scope, self._prefix) else None


def is_news(change: Changed, scope: str, prefix: str) -> bool:
    """Whether this changed a board, under a key that begins so."""
    record = change.record
    if record is None or record.layer != _BOARD or record.kind != SIGNAL or not record.key:
        return False
    return record.scope == scope and record.key.startswith(prefix)


def to_news(change: Changed) -> News:
    """What a change of a board says."""
    record = change.record
    assert record is not None, "what is news has a record"
    signal = to_signal(record) if _stands(record) else None
    return News(str(record.key), signal, change.cursor)


def to_signal(record: Record) -> Signal:
    """What a record of the board says."""
    return Signal(
        str(record.key), record.data.get(WHOLE, record.text), record.source, record.updated_at,
        record.rev, record.expires_at,
    )  # fmt: skip


def _stands(record: Record) -> bool:
    """Whether it stood on the board after this change, and its time has not run out since."""
    runs_out = record.expires_at
    return record.state is State.CURRENT and (runs_out is None or runs_out > clock.now())
