"""Talking to Postgres properly, and saying plainly what went wrong.

Beside `values.py`, `timely.py` and `verdicts.py` the only module that imports the driver. Nothing
here waits for ever: the server gives up on a statement, the system on a dead line, and where
neither does, this side does.
"""

import logging
import os
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, Final, TypeAlias

import psycopg
from psycopg import pq

from lamina.clock import stopwatch
from lamina.stores.postgres import failures, session
from lamina.stores.postgres.address import Address
from lamina.stores.postgres.answers import Answer
from lamina.stores.postgres.marks import translated as with_marks
from lamina.stores.postgres.session import GRACE_SECONDS, SET_UP, WAY
from lamina.stores.postgres.timely import SilentError, Timely, has_come
from lamina.stores.postgres.values import adapt
from lamina.stores.postgres.verdicts import is_silent, translated
from lamina.stores.sql.driver import Asked, Dialect, Row, Value

DriverError: TypeAlias = psycopg.Error
# It warns of lines that go down, on the terminal; whoever called is told by an error.
logging.getLogger("psycopg").addHandler(logging.NullHandler())
_MOST_PREPARED: Final = 500
_NO_TRANSACTION: Final = (pq.TransactionStatus.IDLE, pq.TransactionStatus.UNKNOWN)
_TORN: Final = (pq.TransactionStatus.ACTIVE, pq.TransactionStatus.UNKNOWN)
_FEW: Final = 50
_COMMIT: Final = "commit"
_ANSWERS: Final = (pq.TransactionStatus.IDLE, pq.TransactionStatus.INTRANS)


class UnheldError(psycopg.Error):
    """A commit came to a stream that it had not locked, and has to begin anew with it locked."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.stream = stream


class Connection:
    """One session with the server; what the shared SQL uses, and a little more."""

    def __init__(self, raw: Timely, dialect: Dialect, location: str) -> None:
        self._raw = raw
        adapt(raw)
        raw.prepared_max = _MOST_PREPARED
        self._cursor = raw.cursor()
        self._opening = raw.cursor()
        self._fence: tuple[str, str] | None = None
        self._is_unsettled = False
        self._is_gathering = False
        self._due: list[Asked] = []
        """What goes along with the next statement that is waited for."""
        self.held: frozenset[str] = frozenset()
        """The streams that the transaction under way has locked."""
        self.dialect = dialect
        self.location = location
        self.is_replica = False
        # The driver complains about sessions that were left to the garbage collector.
        self._end = weakref.finalize(self, _close, raw)
        _OPEN.add(self)

    @property
    def in_transaction(self) -> bool:
        status = self._raw.pgconn.transaction_status
        begun = status not in _NO_TRANSACTION and not self._is_unsettled
        return begun or bool(self._due)

    @property
    def is_usable(self) -> bool:
        """Whether the line is up, as far as this side knows, and no transaction was left open."""
        return self._raw.pgconn.transaction_status == pq.TransactionStatus.IDLE and not self._due

    @property
    def is_torn(self) -> bool:
        """Whether the line is down, or an answer is still to come that nobody waits for."""
        return self._raw.pgconn.transaction_status in _TORN and not self._is_unsettled

    def set_up(self, schema: str) -> None:
        """Choose the schema, and everything that would otherwise be up to server and role."""
        if self._raw.info.server_version < failures.OLDEST * 10_000:
            raise failures.too_old(self.location, self._raw.info.server_version)
        with translated(self.location):
            self.is_replica = bool(self.execute(SET_UP, (schema,)).first())

    @property
    def encoding(self) -> str:
        """How the database keeps texts."""
        return self._raw.info.parameter_status("server_encoding") or ""

    @property
    def pid(self) -> int:
        """The number of the process that serves this session."""
        return self._raw.info.backend_pid

    def execute(self, sql: str, parameters: tuple[Value, ...] = (), /) -> Answer:
        if self._is_gathering:
            self._due.append((sql, parameters))
            return Answer(())
        self._carry_out([(self._cursor, (sql, parameters))])
        # Not by the cursor's description, which is made up of objects for every column each time.
        result = self._cursor.pgresult
        return Answer(self._cursor.fetchall() if result is not None and result.nfields else ())

    def ask(self, asked: Sequence[Asked]) -> list[list[Row]]:
        """What several statements answer, in one way there and back."""
        cursors = [self._raw.cursor() for _ in asked]
        self._carry_out(list(zip(cursors, asked, strict=True)))
        return [cursor.fetchall() for cursor in cursors]

    def soon(self, sql: str, parameters: tuple[Value, ...] = ()) -> None:
        """Have a statement go along with the next one; nobody asks for its answer."""
        self._due.append((sql, parameters))

    def executemany(self, sql: str, rows: Iterable[tuple[Value, ...]], /) -> None:
        rows = list(rows)
        if self._is_gathering and len(rows) <= _FEW:
            self._due += ((sql, row) for row in rows)
            return
        self.flush()
        with self._meant():
            # This goes there and back on its own, which many rows are worth.
            self._cursor.executemany(with_marks(sql), rows)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Have the statements within go along with the next one behind them.

        None of them may be asked for an answer.
        """
        before, self._is_gathering = self._is_gathering, True
        try:
            yield
        finally:
            self._is_gathering = before

    def flush(self) -> None:
        """Carry out what is due."""
        self.settle()
        if self._due:
            self._carry_out([])

    def changes(self) -> int:
        return max(0, self._cursor.rowcount)

    def run(self, script: str) -> None:
        """Carry out several statements without parameters, in one way there and back."""
        self.flush()
        with self._meant():
            self._raw.execute(script.encode(), prepare=False)

    def send(self, script: str) -> None:
        """Have statements carried out without waiting for it; what comes of them nobody hears."""
        self.settle()
        self._raw.pgconn.send_query(script.encode())
        self._raw.pgconn.flush()
        self._is_unsettled = True

    def settle(self) -> None:
        """Take in what came of the statements that were only sent."""
        if not self._is_unsettled:
            return
        self._is_unsettled = False
        connection, deadline = self._raw.pgconn, stopwatch() + self._raw.patience
        while True:
            while connection.is_busy():
                left = deadline - stopwatch()
                if left <= 0 or not has_come(connection.socket, left):
                    raise SilentError("no answer in time")
                connection.consume_input()
            if connection.get_result() is None:
                return

    def confine(self, streams: str, scopes: str) -> None:
        """Let every transaction from now on see only so much; see `fence.py`."""
        self._fence = (streams, scopes)

    def begin(
        self, how: str = "", *, local: Iterable[tuple[str, str]] = (), first: Iterable[Asked] = ()
    ) -> None:
        """Begin a transaction with settings and first statements: they go along with the next."""
        fence = [(session.FENCE, self._fence)] if self._fence is not None else []
        settings = [(session.SETTING, one) for one in local]
        self._due += [(f"begin {how}", ()), *fence, *settings, *first]

    def commit(self) -> None:
        """End a transaction well, together with what is still due in it."""
        self._carry_out([(self._cursor, (_COMMIT, ()))])

    def roll_back(self) -> None:
        """End a transaction without a trace, as far as there is one and the line is up."""
        self._due.clear()
        if self.in_transaction:
            with suppress(psycopg.Error):
                self.run("rollback")

    def leave(self) -> None:
        """The same without waiting for it."""
        self._due.clear()
        if self.in_transaction:
            self.send("rollback")

    def copy_in(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Value]]) -> None:
        """Add many rows at once; table and columns, or all of them, are named by our own code."""
        self.flush()
        named = f" ({', '.join(columns)})" if columns else ""
        with self._cursor.copy(f"copy {table}{named} from stdin".encode()) as copy:
            for row in rows:
                copy.write_row(row)

    @contextmanager
    def patiently(self, seconds: float) -> Iterator[None]:
        """Wait longer for each statement than is usual, or less long."""
        before = self._raw.patience
        self._choose(seconds)
        try:
            yield
        finally:
            # A transaction that failed takes the old setting back by itself.
            if self._raw.pgconn.transaction_status in _ANSWERS:
                self._choose(before)
            self._raw.patience = before

    def hurry(self, seconds: float) -> None:
        """From now on wait only so long for an answer, whatever the server is still doing."""
        self._raw.patience = seconds - GRACE_SECONDS

    def is_alive(self, seconds: float) -> bool:
        """Whether the server still answers, and soon."""
        before = self._raw.patience
        self.hurry(seconds)
        try:
            self.settle()
            self._cursor.execute("select 1")
        except psycopg.Error:
            return False
        finally:
            self._raw.patience = before
        return True

    def has_news(self) -> bool:
        """Whether the server said something that nobody asked for, such as that it is going."""
        try:
            return has_come(self._raw.fileno(), 0.0)
        except (OSError, ValueError, psycopg.Error):
            return True

    def heard(self) -> list[int]:
        """Who notified a channel that this session listens to, by the sessions' processes.

        Only what has arrived: nothing is waited for.
        """
        self._raw.pgconn.consume_input()
        return [note.be_pid for note in iter(self._raw.pgconn.notifies, None)]

    def close(self) -> None:
        """End the session; whatever it held is free."""
        self._end()

    def forget(self) -> None:
        """In a forked child: leave the session to the parent, and do not keep it open either."""
        self._end.detach()
        _INHERITED.append(self._raw)
        with suppress(OSError, psycopg.Error):
            os.close(self._raw.fileno())

    def _carry_out(self, wanted: Sequence[tuple[psycopg.Cursor[Row], Asked]]) -> None:
        """Send what is due and what is wanted, in one way there and back.

        Outside a transaction both are one all the same, until the line is told that this is all.
        """
        self.settle()
        due, self._due = self._due, []
        if self._fence is not None and not due and not self.in_transaction:
            due = [(session.FENCE, self._fence)]
        every = [*((self._opening, one) for one in due), *wanted]
        with self._meant(), self._raw.pipeline() if len(every) > 1 else nullcontext():
            for cursor, (sql, parameters) in every:
                # Whoever listens on the line can tell a commit by its text, as tests do.
                cursor.execute(with_marks(sql), parameters, prepare=sql is not _COMMIT)

    @contextmanager
    def _meant(self) -> Iterator[None]:
        """Let no failure look like another one."""
        try:
            yield
        except UnicodeEncodeError as error:
            raise psycopg.DataError(error.reason) from error
        except psycopg.Error as error:
            # What the driver says of a line on which an answer is still due is beside the point.
            if self._raw.fell_silent and not is_silent(error):
                raise SilentError("no answer in time") from error
            raise

    def _choose(self, seconds: float) -> None:
        local = "local " if self.in_transaction else ""
        self.run(f"set {local}statement_timeout = {int(seconds * 1000)}")
        self._raw.patience = seconds


def connect(address: Address, dialect: Dialect) -> Connection:
    """A session with every setting that the promises rest on."""
    way: dict[str, Any] = {**WAY, **address.parameters}
    try:
        raw = Timely.connect(
            autocommit=True, cursor_factory=psycopg.RawCursor, prepare_threshold=0, **way
        )
    except psycopg.ProgrammingError as error:
        # The driver quotes what it cannot read, and a password may stand there.
        raise failures.unreadable(address.location) from error
    except psycopg.Error as error:
        raise failures.of_connecting(str(error), address.location) from error
    connection = Connection(raw, dialect, address.location)
    try:
        connection.set_up(address.schema)
    except BaseException:
        connection.close()
        raise
    return connection


def _close(raw: Timely) -> None:
    with suppress(psycopg.Error):
        raw.close()


# Sessions of the parent, in a forked child: to end them would end the parent's.
_INHERITED: Final[list[psycopg.Connection[Any]]] = []
_OPEN: Final[weakref.WeakSet[Connection]] = weakref.WeakSet()


def _forget_all() -> None:
    for connection in list(_OPEN):
        connection.forget()
    _OPEN.clear()


os.register_at_fork(after_in_child=_forget_all)
