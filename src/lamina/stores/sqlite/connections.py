"""The connections of one process: one that writes, for all threads together, and some that read.

Writers queue up; whoever gets the lock first commits for everyone waiting, so that threads share
the price of a sync. There is no thread of our own: nothing to lose at a fork, nothing to wake.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from lamina.clock import stopwatch
from lamina.errors import StoreError, StoreUnavailableError
from lamina.stores.sqlite.driver import (
    BUSY_SECONDS,
    Connection,
    DriverError,
    connect,
    one,
    translated,
)
from lamina.stores.sqlite.locks import Presence, Turns

T = TypeVar("T")
_MOST_IN_ONE_COMMIT: Final = 64
_LONGEST_LOG: Final = 64 * 1024 * 1024
"""SQLite goes back to the log's beginning only at a moment when nobody reads from it."""
_PATIENCE_MS: Final = 2000
"""Long enough for a reader that is about to finish."""
_UNTIL_NEXT_TRY_SECONDS: Final = 10.0
# Connections of a parent process: using or closing them here would corrupt the parent's locks.
_INHERITED: Final[list[Connection]] = []


@dataclass(slots=True, eq=False)
class _Request(Generic[T]):
    work: Callable[[Connection], T]
    synced: bool
    done: bool = False
    result: T | None = None
    error: BaseException | None = None


class Connections:
    """All access to one database file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log = path.with_name(f"{path.name}-wal")
        self._inode: tuple[int, int] | None = None
        self._reset()

    def open(self, prepare: Callable[[Connection, bool], None]) -> None:
        """Create or upgrade the file with `prepare`, which is told whether nobody else is there."""
        try:
            alone = self._presence.enter()
            with translated(self._path), closing(connect(self._path, create=True)) as connection:
                prepare(connection, alone)
            self._inode = self._found()
            self._presence.share()
        except BaseException:
            self._presence.leave()
            raise

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._presence = Presence(self._path.parent)
        self._turns = Turns(self._path.parent)
        self._log_is_stuck_until = 0.0
        self._queue: deque[_Request[Any]] = deque()
        self._turn = threading.Lock()
        self._writer: Connection | None = None
        self._synced = False
        self._readers: list[Connection] = []
        self._closed = False

    @contextmanager
    def reading(self, *, snapshot: bool = True) -> Iterator[Connection]:
        """A connection that cannot write, on one consistent snapshot.

        A read of a single statement needs no transaction to be consistent.
        """
        self._check_open()
        with translated(self._path):
            connection = self._idle_reader() or self._open_reader()
            try:
                if snapshot:
                    connection.execute("begin")
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("rollback")
                self._readers.append(connection)

    def write(self, work: Callable[[Connection], T], *, synced: bool = True) -> T:
        """Run `work` in a write transaction, possibly together with other threads' work."""
        self._check_open()
        request = _Request(work, synced)
        self._queue.append(request)
        with self._turn:
            while not request.done:
                self._commit_together()
        if request.error is not None:
            raise request.error
        return request.result  # type: ignore[return-value]  # set whenever there is no error

    def alone(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on the writing connection outside any transaction: checkpoints, vacuum."""
        self._check_open()
        with self._turn, self._turns.one(), translated(self._path):
            return work(self._writing())

    def close(self) -> None:
        """Close what this process opened."""
        if self._pid != os.getpid():
            return
        with self._turn, translated(self._path):
            self._closed = True
            for connection in (*self._readers, *([self._writer] if self._writer else [])):
                connection.close()
            self._readers, self._writer = [], None
            self._turns.close()
            self._presence.leave()

    def _check_open(self) -> None:
        if self._pid != os.getpid():
            _INHERITED.extend(self._readers + ([self._writer] if self._writer else []))
            self._reset()
            self._presence.enter()
            self._presence.share()
        if self._closed:
            raise StoreError("the store is closed", remedy="Open it again with lamina.open()")

    def _idle_reader(self) -> Connection | None:
        try:
            return self._readers.pop()
        except IndexError:
            # To ask first and then take would let another thread in between.
            return None

    def _open_reader(self) -> Connection:
        connection = connect(self._path, create=False)
        connection.execute("pragma query_only = on")
        return connection

    def _writing(self) -> Connection:
        if self._writer is None:
            self._writer = connect(self._path, create=False)
            self._synced = False
        return self._writer

    def _commit_together(self) -> None:
        """Commit the requests at the head of the queue in one transaction.

        An interrupt may come between any two steps: whatever was taken from the queue is answered,
        and a connection that was left inside a transaction is given up.
        """
        batch: list[_Request[Any]] = []
        try:
            while self._queue and len(batch) < _MOST_IN_ONE_COMMIT:
                batch.append(self._queue[0])
                self._queue.popleft()
            with self._turns.one(), translated(self._path):
                self._run(batch)
        except BaseException as error:
            # Whatever became of each before, none of them may be reported as done.
            shared = error if isinstance(error, Exception) else _interrupted()
            for request in batch:
                request.error = shared
            self._abandon()
            if not isinstance(error, Exception):
                raise
        finally:
            for request in batch:
                request.done = True

    def _run(self, batch: Sequence[_Request[Any]]) -> None:
        connection = self._writing()
        if connection.in_transaction:
            self._abandon()
            connection = self._writing()
        self._check_in_place()
        self._choose_sync(connection, synced=any(request.synced for request in batch))
        connection.execute("begin immediate")
        # One that was interrupted while it left the queue has been answered already.
        waiting = [request for request in batch if not request.done]
        for request in waiting:
            _attempt(connection, request, alone=len(waiting) == 1)
        if connection.in_transaction:
            connection.execute("commit")
        self._bound_log(connection)

    def _bound_log(self, connection: Connection) -> None:
        """Cut a log that has grown too long, which constant reading alone can bring about.

        The commit is done: trouble here is the next one's, not a reason to call it failed.
        """
        if stopwatch() < self._log_is_stuck_until:
            return
        with suppress(OSError, DriverError):
            if self._log.stat().st_size > _LONGEST_LOG and not empty_log(connection):
                # Somebody still reads what the log's beginning says; it can only be tried again.
                self._log_is_stuck_until = stopwatch() + _UNTIL_NEXT_TRY_SECONDS

    def _check_in_place(self) -> None:
        """Refuse a file that nobody can find any more, or that was put there since."""
        if self._found() != self._inode:
            raise StoreError(
                f"the store at {self._path} was moved, removed or replaced while it was open",
                remedy="Nothing was written; open it again where it is now",
            )

    def _found(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _choose_sync(self, connection: Connection, *, synced: bool) -> None:
        if synced != self._synced:
            connection.execute(f"pragma synchronous = {'full' if synced else 'normal'}")
            self._synced = synced

    def _abandon(self) -> None:
        """After a failed commit nothing about the connection is certain, so it is opened anew."""
        connection, self._writer = self._writer, None
        if connection is None:
            return
        try:
            if connection.in_transaction:
                connection.execute("rollback")
        except DriverError:
            # Closing rolls back as well; what went wrong is being reported already.
            pass
        finally:
            connection.close()


def empty_log(connection: Connection) -> bool:
    """Move the write-ahead log into the file and cut it to nothing, if no reader needs it."""
    connection.set_busy_timeout(_PATIENCE_MS)
    try:
        return not one(connection, "pragma wal_checkpoint(truncate)")
    finally:
        connection.set_busy_timeout(BUSY_SECONDS * 1000)


def _interrupted() -> StoreUnavailableError:
    """One thread's interrupt is not the others'; what became of the commit nobody knows."""
    return StoreUnavailableError(
        "the commit was interrupted, and may or may not have taken place",
        remedy="Repeat it with the same idempotency key, or look first",
    )


def _attempt(connection: Connection, request: _Request[Any], *, alone: bool) -> None:
    """Run one request so that its failure leaves the others alone.

    Among others it has a savepoint; alone, the transaction itself serves, two statements cheaper.
    """
    if not alone:
        connection.execute("savepoint request")
    try:
        request.result = request.work(connection)
    except Exception as error:
        if isinstance(error, DriverError) or not connection.in_transaction:
            # The driver failed, and with it perhaps the whole transaction.
            raise
        connection.execute("rollback" if alone else "rollback to request")
        request.error = error
    if not alone:
        connection.execute("release request")
