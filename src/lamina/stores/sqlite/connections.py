"""The connections of one process: one that writes, for all threads together, and some that read.

Writers queue up, and commit together. There is no thread of our own: nothing to lose at a fork.
A handle works on in a forked child, with locks, a queue and connections of its own.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from lamina.clock import stopwatch
from lamina.core.access import EVERYTHING, Reach
from lamina.errors import StoreError, StoreUnavailableError
from lamina.stores.bell import Bell
from lamina.stores.sql.driver import one
from lamina.stores.sqlite.driver import BUSY_SECONDS, Connection, DriverError, connect, translated
from lamina.stores.sqlite.locks import Presence, Turns
from lamina.stores.sqlite.pool import Pool
from lamina.stores.together import Request, Together, attempt

T = TypeVar("T")
_LONGEST_LOG: Final = 64 * 1024 * 1024
"""SQLite goes back to the log's beginning only at a moment when nobody reads from it."""
_PATIENCE_MS: Final = 2000
"""Long enough for a reader that is about to finish."""
_UNTIL_NEXT_TRY_SECONDS: Final = 10.0
_BRIEFLY_SECONDS: Final = 0.5
_GLANCES_PER_LOOK: Final = 10


class Connections:
    """All access to one database file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log = f"{path}-wal"
        self._inode: tuple[int, int] | None = None
        self._pool = Pool(path, self._check_in_place)
        self._closed = False
        self._reset()
        self._pid = os.getpid()

    def open(self, prepare: Callable[[Connection, bool], None]) -> None:
        """Create or upgrade the file with `prepare`, which is told whether nobody else is there."""
        try:
            alone = self._presence.enter()
            with (
                translated(self._path),
                self._pool.in_use(),
                closing(connect(self._path, create=True)) as connection,
            ):
                prepare(connection, alone)
            self._inode = self._found()
            self._presence.share()
        except BaseException:
            self._presence.leave()
            raise

    def _begin_anew(self) -> None:
        """In a forked child, with its first use; whichever of its threads that is."""
        with self._pool.renewing:
            if self._pid != os.getpid():
                self._reset()
                self._presence.enter()
                self._presence.share()
                # Last: the other threads take it as a sign that all the rest is new.
                self._pid = os.getpid()

    def _reset(self) -> None:
        self._presence = Presence(self._path.parent)
        self._turns = Turns(self._path.parent)
        self._log_is_stuck_until = 0.0
        self._together = Together(self._commit)
        self._bell = Bell(self._version)
        self._stamp: tuple[int, int] | None = None
        self._glances = 0
        self._seen: object = None

    @contextmanager
    def reading(self, reach: Reach = EVERYTHING, *, snapshot: bool = True) -> Iterator[Connection]:
        """A connection that cannot write, on one consistent snapshot.

        A read of a single statement needs no transaction to be consistent. SQLite has nothing to
        hold back what lies beyond a reach; what is asked does.
        """
        self._check_open()
        with translated(self._path), self._pool.reader() as connection:
            if snapshot:
                connection.execute("begin")
            yield connection

    def write(self, work: Callable[[Connection], T], *, synced: bool = True) -> T:
        """Run `work` in a write transaction, possibly together with other threads' work."""
        self._check_open()
        return self._together.carry_out(Request(work, synced))

    def write_if_quiet(self, work: Callable[[Connection], object]) -> None:
        """Run `work` in a relaxed commit, unless others keep the store busy just now.

        For what is not worth waiting for: neither in line nor long, whoever holds the lock.
        """
        self._check_open()
        request = Request(work, synced=False)
        if not self._together.turn.acquire(timeout=_BRIEFLY_SECONDS):
            raise StoreUnavailableError("the store is busy")
        try:
            self._check_open()
            with translated(self._path), self._pool.in_use():
                self._pool.writer().set_busy_timeout(int(_BRIEFLY_SECONDS * 1000))
                self._run([request])
                self._pool.writer().set_busy_timeout(BUSY_SECONDS * 1000)
        except BaseException:
            self._pool.abandon_writer()
            raise
        finally:
            self._together.turn.release()
        request.answer()

    def alone(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on the writing connection outside any transaction: checkpoints, vacuum."""
        self._check_open()
        with self._together.turn, self._turns.one(), translated(self._path), self._pool.in_use():
            return work(self._pool.writer())

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Have the store to this process alone; refused where another one has it open."""
        self._check_open()
        if not self._presence.enter():
            raise StoreUnavailableError(
                "other processes have this store open", remedy="Stop them, then try again"
            )
        try:
            yield
        finally:
            self._presence.share()

    def close(self) -> None:
        """Close what this process opened."""
        if self._pid != os.getpid():
            return
        with self._together.turn, translated(self._path):
            self._closed = True
            self._pool.close()
            self._turns.close()
            self._presence.leave()

    def bell(self) -> Bell:
        """What rings when anything was committed, here or by another process."""
        self._check_open()
        return self._bell

    def _version(self) -> object:
        """What differs after a commit of another process; asked for all the time, so it is cheap.

        The log's size and time tell nearly always. Two commits within one tick of the file system
        may look alike, so now and then SQLite itself is asked.
        """
        self._check_open()
        try:
            found = os.stat(self._log)
            stamp = (found.st_mtime_ns, found.st_size)
        except OSError:
            stamp = None
        self._glances += 1
        if stamp is None or stamp != self._stamp or self._glances >= _GLANCES_PER_LOOK:
            self._stamp, self._glances = stamp, 0
            self._check_in_place()
            with translated(self._path):
                self._seen = self._pool.version()
        return self._seen

    def _check_open(self) -> None:
        if self._pid != os.getpid():
            self._begin_anew()
        if self._closed:
            raise StoreError("the store is closed", remedy="Open it again with lamina.open()")

    def _commit(self, batch: Sequence[Request[Any]]) -> None:
        """Commit some requests in one transaction.

        A connection that was left inside one, by whatever came between, is given up.
        """
        try:
            with self._turns.one(), translated(self._path), self._pool.in_use():
                self._run(batch)
        except BaseException:
            self._pool.abandon_writer()
            raise

    def _run(self, batch: Sequence[Request[Any]]) -> None:
        connection = self._pool.writer()
        if connection.in_transaction:
            self._pool.abandon_writer()
            connection = self._pool.writer()
        self._check_in_place()
        self._pool.choose_sync(synced=any(request.synced for request in batch))
        connection.execute("begin immediate")
        # One that was interrupted while it left the queue has been answered already.
        waiting = [request for request in batch if not request.done]
        for request in waiting:
            attempt(connection, request, alone=len(waiting) == 1)
        if connection.in_transaction:
            connection.execute("commit")
            self._bell.ring()
        self._bound_log(connection)

    def _bound_log(self, connection: Connection) -> None:
        """Cut a log that has grown too long, which constant reading alone can bring about.

        The commit is done: trouble here is the next one's, not a reason to call it failed.
        """
        if stopwatch() < self._log_is_stuck_until:
            return
        with suppress(OSError, DriverError):
            if os.stat(self._log).st_size > _LONGEST_LOG and not empty_log(connection):
                # Somebody still reads what the log's beginning says; it can only be tried again.
                self._log_is_stuck_until = stopwatch() + _UNTIL_NEXT_TRY_SECONDS

    def _check_in_place(self) -> None:
        """Refuse a file that nobody can find any more, or that was put there since."""
        if self._found() != self._inode:
            raise StoreError(
                f"the store at {self._path} was moved, removed or replaced while it was open",
                remedy="Nothing was read or written; open it again where it is now",
            )

    def _found(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino


def empty_log(connection: Connection) -> bool:
    """Move the write-ahead log into the file and cut it to nothing, if no reader needs it."""
    connection.set_busy_timeout(_PATIENCE_MS)
    try:
        return not one(connection, "pragma wal_checkpoint(truncate)")
    finally:
        connection.set_busy_timeout(BUSY_SECONDS * 1000)
