"""Every connection of this process to one file: kept for the next use, and put away for a fork.

SQLite notes in the memory of a process which locks it holds. A forked child would inherit the note
and not the locks; everybody else would then be free to cut the log under its feet. So no connection
is open while the process forks: whatever is in use is waited for, all is closed, and both sides
open what they need when they need it.
"""

import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from lamina.errors import StoreError
from lamina.stores.sql.driver import one
from lamina.stores.sqlite.driver import BUSY_SECONDS, Connection, DriverError, connect

# Connections that were in use at a fork, in the child: to close them would touch the parent's log.
_INHERITED: Final[list[Connection]] = []


class Pool:
    """The connections to one file: one that writes, some that read, and one that watches.

    `check` raises when the file is no longer the one that the store was opened with.
    """

    def __init__(self, path: Path, check: Callable[[], None]) -> None:
        self._path = path
        self._check = check
        self._readers: list[Connection] = []
        self._writer: Connection | None = None
        self._watcher: Connection | None = None
        self._watchers = 0
        self._synced: bool | None = None
        self._uses = 0
        self._inside = threading.local()
        self._forking = False
        self._quiet = threading.Condition()
        self._torn = False
        self.renewing = threading.Lock()
        """Held by the one thread of a forked child that makes everything new."""
        _ALIVE.add(self)

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep the process from forking meanwhile."""
        with self._quiet:
            # Whoever is inside already may go further in; others let the fork pass first.
            mine = getattr(self._inside, "depth", 0)
            self._quiet.wait_for(lambda: mine or not self._forking, BUSY_SECONDS)
            if self._torn:
                raise StoreError(
                    "the process was forked while the store was busy",
                    remedy="Fork at a quieter moment, or open the store in the child",
                )
            self._uses += 1
            self._inside.depth = mine + 1
        try:
            yield
        finally:
            with self._quiet:
                self._uses -= 1
                self._inside.depth = mine
                self._quiet.notify_all()

    @contextmanager
    def reader(self) -> Iterator[Connection]:
        """A connection that cannot write."""
        with self.in_use():
            self._check()
            connection = self._idle_reader() or self._open_reader()
            try:
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("rollback")
                self._readers.append(connection)

    def writer(self) -> Connection:
        """The connection that writes, for whoever holds the turn and is `in_use`."""
        if self._writer is None:
            self._writer = connect(self._path, create=False)
            self._synced = None
        return self._writer

    def choose_sync(self, *, synced: bool) -> None:
        """Whether the next commit waits for the disk."""
        if synced != self._synced:
            mode = "full" if synced else "normal"
            self.writer().execute(f"pragma synchronous = {mode}")
            self._synced = synced

    def version(self) -> tuple[int, int]:
        """What differs after every commit of another connection, and whenever it is not known."""
        with self.in_use():
            if self._watcher is None:
                self._watcher = self._open_reader()
                self._watchers += 1
            return self._watchers, int(one(self._watcher, "pragma data_version"))

    def abandon_writer(self) -> None:
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

    def close(self) -> None:
        """Close all that is not in use."""
        for connection in self._idle():
            connection.close()
        self._readers, self._writer, self._watcher = [], None, None

    def before_fork(self) -> None:
        """Wait until nothing is in use, and close everything."""
        self._quiet.acquire()
        self._forking = True
        self._torn = not self._quiet.wait_for(lambda: not self._uses, BUSY_SECONDS)
        if not self._torn:
            with suppress(DriverError):
                self.close()

    def after_fork(self) -> None:
        """In the parent: go on as before."""
        self._torn = self._forking = False
        self._quiet.notify_all()
        self._quiet.release()

    def born(self) -> None:
        """In the child: other threads are gone, and with them what they had in use."""
        self._quiet, self._uses, self._forking = threading.Condition(), 0, False
        self._inside = threading.local()
        self.renewing = threading.Lock()
        if self._torn:
            _INHERITED.extend(self._idle())

    def _idle(self) -> list[Connection]:
        single = (self._writer, self._watcher)
        return [*self._readers, *(connection for connection in single if connection)]

    def _idle_reader(self) -> Connection | None:
        try:
            return self._readers.pop()
        except IndexError:
            # To ask first and then take would let another thread in between.
            return None

    def _open_reader(self) -> Connection:
        connection = connect(self._path, create=False)
        try:
            # Again: it is opened by name, and the name may lead elsewhere since.
            self._check()
            connection.execute("pragma query_only = on")
        except BaseException:
            connection.close()
            raise
        return connection


_ALIVE: Final[weakref.WeakSet[Pool]] = weakref.WeakSet()


def _for_all(step: Callable[[Pool], None]) -> Callable[[], None]:
    def call() -> None:
        # In one order, so that two threads that fork at once do not wait for each other.
        for pool in sorted(_ALIVE, key=id):
            step(pool)

    return call


os.register_at_fork(
    before=_for_all(Pool.before_fork),
    after_in_parent=_for_all(Pool.after_fork),
    after_in_child=_for_all(Pool.born),
)
