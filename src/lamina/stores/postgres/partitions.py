"""Partitions of their own for large streams: rows move there while they are read and written.

A row says by its `home` in which partition it lies. Versions and events are read wherever they lie,
so moving them is an `update`, some rows at a time, and each is seen once. Vectors count only at the
home of their stream: they are copied first, and new ones written to both, so that their graph is
whole before anybody asks it. Whatever ends a move leaves the store whole; the next one goes on.
What each step locks, and for how long:

- Adding empty partitions: SHARE UPDATE EXCLUSIVE on the parents, for milliseconds. It holds up
  neither readers nor writers: no partition takes what the others do not, so none is looked through.
- A page of rows: the lock of that stream, which its writers take, for a tenth of a second. One of
  vectors also the lock that embedders share.
- The graph: SHARE UPDATE EXCLUSIVE on the new partition; nobody waits for it.
- The last page: both locks, for what was written since; with it the stream's `home` changes.
- Clearing away the old vectors, which nobody reads any more: their rows.
- Dropping empty partitions: ACCESS EXCLUSIVE on the parents for milliseconds, and everybody waits
  behind it; it is given up after a second, and left to the next time.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from lamina.clock import stopwatch
from lamina.core.arranging import Arranged
from lamina.stores.postgres import graphs, holding, locks
from lamina.stores.postgres.connections import Connections
from lamina.stores.postgres.driver import Connection, DriverError
from lamina.stores.postgres.verdicts import is_busy
from lamina.stores.sql.driver import ALL, rows
from lamina.stores.sql.driver import Connection as Asked
from lamina.stores.sql.formats import check_still_writable

DUTY: Final = "partitions"
MOST: Final = 50
"""So many streams have partitions of their own: most statements have a look at each partition."""
KEYS: Final = {"version": "vid", "event": "seq", "vector": "rid"}
"""The tables that are kept apart, each with what tells the rows of one stream apart."""
_LONG_SECONDS: Final = 6 * 3600.0
_ATTEMPTS: Final = 5
_AT_ONCE: Final = 20_000
"""So many keys are looked up together, while nothing is locked."""
_ROUNDS: Final = 20
"""So often what was written meanwhile is moved too, before writers are kept out for the rest."""
_FEW: Final = 200
"""So many rows are a rest."""
_FIRST: Final = 100
_FEWEST: Final = 25
_MOST: Final = 20_000
_PAGE_SECONDS: Final = 0.1
"""How long writers of the stream are held up by one page, about."""
_RELAXED: Final = (("synchronous_commit", "off"),)
"""A crash may lose a page: it then lies where it lay."""
_KNOWN: Final = (
    "select s.sid, s.name, s.home, to_regclass('version_' || s.sid) is not null,"
    " (select count(*) from record r where r.sid = s.sid),"
    " exists (select 1 from event e where e.sid = s.sid and e.home = 0)"
    " or exists (select 1 from vector x where x.home = 0 and x.sid = s.sid"
    " and x.space in (select space from space)) from stream s"
    " where s.home > 0 or s.seq >= ? or to_regclass('version_' || s.sid) is not null"
    " order by s.name"
)
_ADD: Final = (
    "create table {table}_{sid} (like {table} including all excluding indexes);"
    # Asked directly it shows nothing: there is no policy that lets anything pass.
    " alter table {table}_{sid} enable row level security, force row level security;"
    " alter table {table} attach partition {table}_{sid} for values in ({sid})"
)
_KEYS_OF: Final = (
    "select distinct {key} from {table} where home = ? and sid = ? and {key} > ? and {key} <= ?"
    " order by {key} limit ?"
)
# Versions are numbered for all streams alike, so which one is meant says nothing.
_NEWEST: Final = "select last_value from number where ?1 = ?1"
_END: Final = {
    "version": _NEWEST,
    "event": "select seq from stream where sid = ?",
    "vector": _NEWEST,
}
"""A key that no row has passed yet, for each table."""
_MOVE: Final = (
    "update {table} set home = ? where home = ? and sid = ?"
    " and {key} = any (array(select cast(value as bigint) from json_each(?)))"
)
_MOVE_LATER: Final = "update {table} set home = ? where home = ? and sid = ? and {key} > ?"
_MOVE_VECTORS: Final = (
    "update vector set home = 0 where home = ? and sid = ? and space in (select space from space)"
)
_COPY: Final = (
    "insert into vector (space, sid, rid, vid, body, home) select space, sid, rid, vid, body, ?"
    " from vector where home = ? and sid = ?"
    " and rid = any (array(select cast(value as bigint) from json_each(?))) on conflict do nothing"
)
_CLEAR: Final = (
    "delete from vector where home = ? and sid = ?"
    " and rid = any (array(select cast(value as bigint) from json_each(?)))"
)
_ALSO: Final = "update stream set also = sid where sid = ?"
_SETTLE: Final = "update stream set home = ?, also = null where sid = ?"


@dataclass(frozen=True, slots=True)
class Known:
    """A stream that is large, or has partitions of its own."""

    sid: int
    name: str
    home: int
    has_own: bool
    records: int
    strays: bool
    """Whether events or vectors of it lie in the common partition."""

    def due(self, at: int) -> bool | None:
        """Whether it should move out, or back; nothing when it lies where it should."""
        if self.records and (self.home or self.records >= at):
            return True if self.strays or not self.home else None
        return False if self.has_own else None


def known(connection: Asked, at: int = ALL) -> list[Known]:
    """The streams that have so many records, maybe, or partitions of their own."""
    return [Known(*row) for row in rows(connection, _KNOWN, (at,))]


def arrange(connections: Connections, at: int, *, dry_run: bool) -> list[Arranged]:
    """Give streams of so many records partitions of their own, and take back empty ones."""
    with connections.reading(snapshot=False) as reader, reader.patiently(_LONG_SECONDS):
        due = [(one, one.due(at)) for one in known(reader, at)]
    room = MOST - sum(one.has_own for one, _ in due)
    new = [one for one, out in due if out and not one.has_own]
    late = sorted(new, key=lambda one: -one.records)[max(room, 0) :]
    found = [(one, out) for one, out in due if out is not None and one not in late]
    if not dry_run:
        for one, out in found:
            move = _Out(connections, one) if out else _Back(connections, one)
            connections.apart(move.carry_out, _LONG_SECONDS)
    return [Arranged(one.name, one.records, out) for one, out in found]


class _Move:
    """Rows of one stream on their way from one home to another."""

    def __init__(self, connections: Connections, stream: Known, homes: tuple[int, int]) -> None:
        self._connections = connections
        self._stream = stream
        self._from, self._to = homes

    def carry_out(self, session: Connection) -> None:
        """Move versions and events page by page, then what came meanwhile, and settle there."""
        lasts = dict.fromkeys(("version", "event"), 0)
        for _ in range(_ROUNDS):
            moved = 0
            for table, last in lasts.items():
                sql = _MOVE.format(table=table, key=KEYS[table])
                lasts[table], number = self._pages(session, table, sql, last)
                moved += number
            if moved <= _FEW:
                break
        self._locked(session, partial(self._finish, session, lasts), "vector")

    def _pages(self, session: Connection, table: str, sql: str, last: int = 0) -> tuple[int, int]:
        """Move or copy the rows of a table behind a key; the key of the last one, and how many.

        Only those that are there by now: whoever ran after others that write would never get there.
        """
        [(end,)] = rows(session, _END[table], (self._stream.sid,))
        size, number = _FIRST, 0
        while keys := self._keys(table, last, end):
            number += len(keys)
            is_much = len(keys) == _AT_ONCE
            while keys:
                page, keys = keys[:size], keys[size:]
                given = (self._to, self._from, self._stream.sid, str(page))
                took = self._locked(session, partial(session.execute, sql, given), table)
                size = _suited(size, took)
                last = page[-1]
            if is_much:
                # Whoever reads meanwhile should not be led through it as if it were empty.
                analyse = f"analyze {table}_{self._to or 'rest'}"
                _again(session, partial(_briefly, session, analyse))
        return last, number

    def _keys(self, table: str, last: int, end: int = ALL) -> list[int]:
        sql = _KEYS_OF.format(table=table, key=KEYS[table])
        given = (self._from, self._stream.sid, last, end, _AT_ONCE)
        with self._connections.reading(snapshot=False) as reader, reader.patiently(_LONG_SECONDS):
            return [key for (key,) in rows(reader, sql, given)]

    def _finish(self, session: Connection, lasts: dict[str, int]) -> None:
        # Nobody knows yet how few there are behind the last one.
        session.run("set local enable_seqscan = off")
        for table, last in lasts.items():
            sql = _MOVE_LATER.format(table=table, key=KEYS[table])
            session.execute(sql, (self._to, self._from, self._stream.sid, last))
        session.execute(_SETTLE, (self._to, self._stream.sid))

    def _locked(self, session: Connection, work: Callable[[], object], table: str) -> float:
        """Change a table while this stream's writers are kept out; for how long they were."""
        schema, since = self._connections.schema, 0.0
        needs = holding.Needs(scopes=(self._stream.name,))
        alone = locks.taking(locks.number(schema, holding.VECTORS))
        first = [
            *([alone] if table == "vector" else []),
            *holding.first(schema, [needs], frozenset()),
        ]

        def held() -> None:
            nonlocal since
            session.begin(local=_RELAXED, first=first)
            holding.hold(session, schema, [needs], frozenset())
            check_still_writable(session)
            since = stopwatch()
            work()

        _again(session, held)
        return stopwatch() - since


class _Out(_Move):
    """Into partitions of its own, which are made first."""

    def __init__(self, connections: Connections, stream: Known) -> None:
        super().__init__(connections, stream, (0, stream.sid))

    def carry_out(self, session: Connection) -> None:
        sid = self._stream.sid
        if not self._stream.has_own:
            add = "; ".join(_ADD.format(table=table, sid=sid) for table in KEYS)
            _again(session, lambda: _briefly(session, add))
        if not self._stream.home:
            self._locked(session, lambda: session.execute(_ALSO, (sid,)), "vector")
            self._pages(session, "vector", _COPY)
            self._connections.apart(partial(graphs.make, home=sid), _LONG_SECONDS)
        super().carry_out(session)
        self._clear(session)
        parts = ", ".join(f"{table}_{sid}" for table in KEYS)
        session.run(f"vacuum (analyze, skip_locked) {parts}")

    def _clear(self, session: Connection) -> None:
        last = 0
        while keys := self._keys("vector", last):
            last = keys[-1]
            _again(session, partial(self._drop, session, str(keys)))

    def _drop(self, session: Connection, keys: str) -> None:
        session.begin(local=_RELAXED)
        session.execute(_CLEAR, (self._from, self._stream.sid, keys))


class _Back(_Move):
    """Into the common partitions; its own are dropped when they are empty."""

    def __init__(self, connections: Connections, stream: Known) -> None:
        super().__init__(connections, stream, (stream.sid, 0))

    def carry_out(self, session: Connection) -> None:
        super().carry_out(session)
        named = ", ".join(f"{table}_{self._stream.sid}" for table in KEYS)
        _again(session, lambda: _briefly(session, f"drop table {named}"))

    def _finish(self, session: Connection, lasts: dict[str, int]) -> None:
        super()._finish(session, lasts)
        # Where it had not settled yet, these are copies, and go with their partition.
        if self._stream.home:
            session.execute(_MOVE_VECTORS, (self._from, self._stream.sid))


def _suited(size: int, seconds: float) -> int:
    """How many rows the next page has, if one of `size` took so long."""
    change = min(max(_PAGE_SECONDS / max(seconds, 1e-3), 0.25), 2.0)
    return min(max(int(size * change), _FEWEST), _MOST)


def _briefly(session: Connection, script: str) -> None:
    """Begin with what locks tables; others do not have to wait for long behind it."""
    session.begin(local=(("lock_timeout", "1s"),))
    session.run(script)


def _again(session: Connection, work: Callable[[], None]) -> None:
    """Commit what `work` has begun; once more while others are in the way."""
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            work()
            session.commit()
        except DriverError as error:
            session.roll_back()
            if not is_busy(error) or attempt == _ATTEMPTS:
                raise
        except BaseException:
            session.roll_back()
            raise
        else:
            return
