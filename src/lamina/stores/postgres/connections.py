"""The connections of one process to one store, each opened when it is first needed.

One writes, for all threads together; some read; one listens, and one holds duties. A handle works
on in a forked child, with connections of its own, and after a server has been away.
"""

import os
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from typing import Any, Final, TypeAlias, TypeVar

from lamina.clock import stopwatch
from lamina.core.access import EVERYTHING, Reach
from lamina.errors import StoreError, StoreUnavailableError
from lamina.stores.bell import Bell
from lamina.stores.postgres import fence, migrations
from lamina.stores.postgres.address import Address
from lamina.stores.postgres.bell import Listener, channel
from lamina.stores.postgres.driver import (
    Connection,
    DriverError,
    UnheldError,
    connect,
)
from lamina.stores.postgres.duties import Duties
from lamina.stores.postgres.holding import NOTHING, Needs, first, hold
from lamina.stores.postgres.pool import Pool, Reader
from lamina.stores.postgres.session import LOCK_SECONDS
from lamina.stores.postgres.verdicts import (
    is_beaten,
    is_late,
    is_lost,
    is_silent,
    is_undone,
    translated,
)
from lamina.stores.sql.driver import Dialect
from lamina.stores.together import Request, Together, attempt

T = TypeVar("T")
Settings: TypeAlias = tuple[tuple[str, str], ...]
_ATTEMPTS: Final = 5
_RELAXED: Final[Settings] = (("synchronous_commit", "off"),)
_BRIEFLY_SECONDS: Final = 0.5
_LOCKED_BRIEFLY: Final[Settings] = (("lock_timeout", f"{_BRIEFLY_SECONDS:g}s"),)
_REST_SECONDS: Final = 2.0
"""How long requests are tried one by one after they were in vain together."""
_BRIEFLY: Final[Settings] = (*_LOCKED_BRIEFLY, ("statement_timeout", f"{_REST_SECONDS:g}s"))
_SOON_SECONDS: Final = 1.0
"""Who has stood in the queue for less may wait for a lock as long as anybody."""
_LONG_SECONDS: Final = 0.2
"""Who has waited so long for a line that then was lost is told, instead of waiting for another.

Together with all that an answer may take, it is what anybody has to wait at most."""


class Connections:
    """All access to one schema of one database."""

    def __init__(self, address: Address, dialect: Dialect) -> None:
        self._address = address
        self._dialect = dialect
        self._closed = False
        self.reset()
        _ALIVE.add(self)

    def reset(self) -> None:
        """Begin with no connection; also in a forked child, as those of the parent are not ours."""
        self._pool = Pool(self._new_reader)
        self._writer: Connection | None = None
        self._is_committing = False
        self._together = Together(self._commit, lambda error: is_silent(error.__cause__))
        self._listener = Listener(self._new_reader, self._address.schema, self._writer_pid)
        self._bell = Bell(self._look)
        self.duties = Duties(self._new, self._address.schema)
        """What one process of many does at a time."""

    @property
    def schema(self) -> str:
        """The schema that the store lies in."""
        return self._address.schema

    def open(self, prepare: Callable[[Connection, str], None] = migrations.migrate) -> None:
        """Create or upgrade the schema with `prepare`."""
        connection = connect(self._address, self._dialect)
        try:
            prepare(connection, self._address.schema)
            self._pool.give_back(self._for_reading(self._joined(connection)))
        except BaseException:
            connection.close()
            raise

    @contextmanager
    def reading(self, reach: Reach = EVERYTHING, *, snapshot: bool = True) -> Iterator[Reader]:
        """A connection that cannot write and sees nothing beyond a reach, on one snapshot.

        Without one, every statement is on its own, and is asked again if its connection was lost.
        """
        self._check_open()
        with translated(self._address.location), self._pool.reader() as reader:
            reader.confine(fence.streams(reach), fence.scopes(reach))
            if snapshot:
                reader.begin()
            yield reader

    def write(
        self, work: Callable[[Connection], T], *, synced: bool = True, needs: Needs = NOTHING
    ) -> T:
        """Run `work` in a write transaction, possibly together with other threads' work.

        It is run again where another transaction was in the way or the connection was lost, as
        long as it is certain that nothing was committed.
        """
        self._check_open()
        return self._together.carry_out(Request(work, synced, needs))

    def write_if_quiet(
        self, work: Callable[[Connection], object], *, needs: Needs = NOTHING
    ) -> None:
        """Run `work` in a relaxed commit, unless others keep the store busy just now.

        For what is not worth waiting for: neither in line nor long, whoever holds the lock.
        """
        self._check_open()
        request = Request(work, synced=False, needs=needs)
        if not self._together.turn.acquire(timeout=_BRIEFLY_SECONDS):
            raise StoreUnavailableError("the store is busy")
        try:
            with translated(self._address.location):
                self._try([request], _LOCKED_BRIEFLY)
        finally:
            self._together.turn.release()
        request.answer()

    def alone(self, work: Callable[[Connection], T], seconds: float) -> T:
        """Run `work` on the writing connection outside any transaction, for so long at most."""
        self._check_open()
        with self._together.turn, translated(self._address.location):
            connection = self._writing()
            with connection.patiently(seconds):
                return work(connection)

    def apart(self, work: Callable[[Connection], T], seconds: float) -> T:
        """Run `work` on a connection of its own, so that nobody waits for it."""
        self._check_open()
        with (
            translated(self._address.location),
            closing(self._new()) as connection,
            connection.patiently(seconds),
        ):
            return work(connection)

    def bell(self) -> Bell:
        """What rings when anything was committed, here or by another process."""
        self._check_open()
        return self._bell

    def close(self) -> None:
        """Close what this process opened."""
        with self._together.turn:
            self._closed = True
            self._abandon_writer()
        self._pool.close()
        self._listener.close()
        self.duties.close()

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError("the store is closed", remedy="Open it again with lamina.open()")

    def _look(self) -> object:
        self._check_open()
        return self._listener.look()

    def _new(self) -> Connection:
        connection = connect(self._address, self._dialect)
        try:
            return self._joined(connection)
        except BaseException:
            connection.close()
            raise

    def _joined(self, connection: Connection) -> Connection:
        migrations.join(connection, self._address.schema)
        connection.confine(fence.EVERYTHING, fence.EVERYTHING)
        return connection

    def _new_reader(self) -> Connection:
        return self._for_reading(self._new())

    def _for_reading(self, connection: Connection) -> Connection:
        # What reads holds up nobody, and may think about what it has read for a while.
        connection.run(
            "set default_transaction_read_only = on;"
            " set idle_in_transaction_session_timeout = '120s'"
        )
        return connection

    def _writing(self) -> Connection:
        if self._writer is not None and (self._writer.is_torn or self._writer.in_transaction):
            self._abandon_writer()
        if self._writer is None:
            self._writer = self._new()
        return self._writer

    def _writer_pid(self) -> int | None:
        # Another thread may leave it just now.
        writer = self._writer
        return None if writer is None else writer.pid

    def _abandon_writer(self) -> None:
        connection, self._writer = self._writer, None
        if connection is not None:
            connection.close()

    def _commit(self, batch: Sequence[Request[Any]]) -> None:
        """Carry out requests in one transaction; if one of them is in the way, each in its own."""
        with translated(self._address.location):
            try:
                self._try(batch, _left_to(batch))
            except DriverError as error:
                if len(batch) == 1 or is_lost(error):
                    raise
                was_late = is_late(error)
            else:
                return
        self._one_by_one(batch, _BRIEFLY if was_late else ())

    def _one_by_one(self, batch: Sequence[Request[Any]], local: Settings) -> None:
        """Each in a transaction of its own; after a long wait for all of them only briefly."""
        start = stopwatch()
        for request in batch:
            if local and stopwatch() - start > _REST_SECONDS:
                request.error = _crowd()
                continue
            try:
                with translated(self._address.location):
                    self._try([request], local)
            except Exception as error:
                request.error = error

    def _try(self, batch: Sequence[Request[Any]], local: Settings = ()) -> None:
        """Carry out requests in one transaction, more than once if need be, and never twice."""
        more: frozenset[str] = frozenset()
        start = stopwatch()
        for tries in range(1, _ATTEMPTS + 1):
            self._is_committing = False
            try:
                self._run(batch, local, more)
            except BaseException as error:
                self._clear_up()
                if isinstance(error, UnheldError):
                    more |= {error.stream}
                if not self._is_worth_trying_again(error, tries, stopwatch() - start):
                    raise
                for request in batch:
                    request.result = request.error = None
            else:
                return

    def _clear_up(self) -> None:
        if self._writer is not None and not self._writer.is_torn:
            self._writer.roll_back()
        else:
            self._abandon_writer()

    def _is_worth_trying_again(self, error: BaseException, tries: int, waited: float) -> bool:
        if is_beaten(error) or isinstance(error, UnheldError):
            return tries < _ATTEMPTS
        if is_silent(error) or (waited > _LONG_SECONDS and not is_undone(error)):
            return False
        # Once the commit is on its way nobody knows what has become of it, unless it came too late.
        certain = not self._is_committing or is_undone(error)
        return is_lost(error) and certain and tries == 1

    def _run(self, batch: Sequence[Request[Any]], local: Settings, more: frozenset[str]) -> None:
        connection = self._writing()
        relaxed = not any(request.synced for request in batch)
        # One that was interrupted while it left the queue has been answered already.
        waiting = [request for request in batch if not request.done]
        needs = [request.needs for request in waiting]
        connection.begin(
            local=(*local, *(_RELAXED if relaxed else ())), first=first(self.schema, needs, more)
        )
        hold(connection, self.schema, needs, more)
        for request in waiting:
            attempt(connection, request, alone=len(waiting) == 1)
        if connection.in_transaction:
            self._is_committing = True
            connection.commit()
            self._is_committing = False
            self._bell.ring()
            # Behind the commit: within it, all commits of the whole server would queue up. It only
            # wakes, so nobody has to wait for it.
            with suppress(DriverError):
                connection.send(f"notify {channel(self._address.schema)}")


def _left_to(batch: Sequence[Request[Any]]) -> Settings:
    """How long a lock may be waited for, by who has stood in the queue before it for long."""
    waited = stopwatch() - min(request.since for request in batch)
    if waited < _SOON_SECONDS:
        return ()
    return (("lock_timeout", f"{max(LOCK_SECONDS - waited, _BRIEFLY_SECONDS):.3f}s"),)


def _crowd() -> StoreUnavailableError:
    return StoreUnavailableError(
        "the store stayed busy, and nothing of this was done",
        remedy="Others hold what was asked for; try again in a moment",
    )


_ALIVE: Final[weakref.WeakSet[Connections]] = weakref.WeakSet()


def _begin_anew() -> None:
    for one in list(_ALIVE):
        one.reset()


os.register_at_fork(after_in_child=_begin_anew)
