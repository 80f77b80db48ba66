"""The connections of one process that only read: lent to one thread at a time, and bounded.

A connection may be lost while it lies idle: the server was restarted, or the network forgot it.
Whoever is lent one should not have to know: it is looked at first, and replaced once if it turns
out to be lost before it has answered anything.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Final, TypeVar

from lamina.clock import stopwatch
from lamina.errors import StoreUnavailableError
from lamina.stores.postgres.answers import Answer
from lamina.stores.postgres.driver import Connection, DriverError
from lamina.stores.postgres.verdicts import is_lost, is_silent
from lamina.stores.sql.driver import Asked, Dialect, Row, Value

T = TypeVar("T")
MOST_READERS: Final = 8
_PATIENCE_SECONDS: Final = 8.0
_IDLE_SECONDS: Final = 15.0
"""After so long a network may have forgotten a connection, so it is asked for a sign of life."""
_SIGN_SECONDS: Final = 2.0
_SNAPSHOT: Final = "isolation level repeatable read read only"


class Reader:
    """A connection on loan; what it is asked it can be asked again."""

    def __init__(self, pool: "Pool") -> None:
        self._pool = pool
        self._connection = pool.take()
        self._fence = ("", "")
        self._may_replace = True
        self._in_snapshot = False

    @property
    def dialect(self) -> Dialect:
        return self._connection.dialect

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction

    def confine(self, streams: str, scopes: str) -> None:
        """Let nothing else be seen."""
        self._fence = (streams, scopes)
        self._connection.confine(streams, scopes)

    def begin(self) -> None:
        """Read everything as it is when the first statement is asked."""
        self._connection.begin(_SNAPSHOT)
        self._in_snapshot = True

    def execute(self, sql: str, parameters: tuple[Value, ...] = (), /) -> Answer:
        return self._again(lambda: self._connection.execute(sql, parameters))

    def ask(self, asked: Sequence[Asked]) -> list[list[Row]]:
        """What several statements answer, asked together."""
        return self._again(lambda: self._connection.ask(asked))

    def executemany(self, sql: str, rows: Iterable[tuple[Value, ...]], /) -> None:
        self._connection.executemany(sql, rows)

    def changes(self) -> int:
        return self._connection.changes()

    def patiently(self, seconds: float) -> AbstractContextManager[None]:
        """Wait so long for each statement."""
        self._again(lambda: self._connection.flush())
        return self._connection.patiently(seconds)

    def end(self) -> None:
        """Give the connection back."""
        self._pool.give_back(self._connection)

    def _again(self, work: Callable[[], T]) -> T:
        try:
            answer = work()
        except DriverError as error:
            if not self._may_replace or not is_lost(error) or is_silent(error):
                raise
        else:
            # Another connection would see another moment.
            self._may_replace &= not self._in_snapshot
            return answer
        self._may_replace = False
        self._connection = self._pool.replace(self._connection)
        self._connection.confine(*self._fence)
        if self._in_snapshot:
            self.begin()
        return work()


class Pool:
    """Connections that read; `connect` opens another one."""

    def __init__(self, connect: Callable[[], Connection], most: int = MOST_READERS) -> None:
        self._connect = connect
        self._idle: list[tuple[Connection, float]] = []
        self._places = threading.BoundedSemaphore(most)
        self._mine = threading.local()
        self._closed = False

    @contextmanager
    def reader(self) -> Iterator[Reader]:
        """A connection for as long as the block lasts."""
        with self._place():
            reader = Reader(self)
            try:
                yield reader
            finally:
                reader.end()

    def take(self) -> Connection:
        """One that answers, as far as can be told without asking."""
        while True:
            try:
                connection, since = self._idle.pop()
            except IndexError:
                # To ask first and then take would let another thread in between.
                return self._connect()
            if _is_alive(connection, since):
                return connection
            connection.close()

    def replace(self, lost: Connection) -> Connection:
        """A new one for one that is lost; what lies idle may have been lost with it."""
        lost.close()
        return self._connect()

    def give_back(self, connection: Connection) -> None:
        """Keep a connection for the next who asks, unless nothing is certain about it."""
        if connection.is_torn or self._closed:
            connection.close()
            return
        try:
            connection.leave()
        except DriverError:
            connection.close()
            return
        self._idle.append((connection, stopwatch()))
        if self._closed:
            self.close()

    def close(self) -> None:
        """Close all that is not lent; the rest is closed when it comes back."""
        self._closed = True
        while self._idle:
            self._idle.pop()[0].close()

    @contextmanager
    def _place(self) -> Iterator[None]:
        """Wait for one's turn. Who has a connection already may have another without waiting."""
        depth = getattr(self._mine, "depth", 0)
        if not depth and not self._places.acquire(timeout=_PATIENCE_SECONDS):
            raise StoreUnavailableError(
                "all connections of this process are in use", remedy="Try again in a moment"
            )
        self._mine.depth = depth + 1
        try:
            yield
        finally:
            self._mine.depth = depth
            if not depth:
                self._places.release()


def _is_alive(connection: Connection, since: float) -> bool:
    try:
        connection.settle()
    except DriverError:
        return False
    if not connection.is_usable or connection.has_news():
        return False
    return stopwatch() - since < _IDLE_SECONDS or connection.is_alive(_SIGN_SECONDS)
