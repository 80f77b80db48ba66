"""Somebody with a SQL prompt, or an old copy of the file, changes the history of a store.

Each trial tampers with a fresh copy of one store in one way and asks for an audit. Edits, deletions
and swaps must show by themselves; what leaves a chain that follows from itself must show by the
anchor, which was kept elsewhere.
"""

import random
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import lamina
from lamina import Memory, clock
from lamina.core import chain
from lamina.core.changes import Event
from lamina.errors import StoreDamagedError
from lamina.stores.sql import log
from lamina.stores.sql.driver import one, rows
from lamina.stores.sql.rows import RECORD_COLUMNS, to_record
from lamina.stores.sqlite import DATABASE
from lamina.stores.sqlite.driver import Connection, connect
from tests.faults.report import Report, Tell
from tests.forging import chained

_STEPS = 60
_SCOPES = ("global", "project/web", "project/web/task/t-1", "user/ann")
_KEYS = ("deploy", "imports", "colour", "owner")
_CONTROL_EVERY = 25


@dataclass(frozen=True)
class Grounds:
    """A store to tamper with: its file as it is, as it was at times before, and its anchor."""

    present: Path
    past: tuple[Path, ...]
    anchor: str


@dataclass(frozen=True)
class Tampering:
    """One way to change history."""

    name: str
    act: Callable[[random.Random, Path, Grounds], None]
    needs_anchor: bool = False


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Tamper `size` times, and now and then not at all."""
    started = clock.stopwatch()
    rng = random.Random(seed)
    grounds = _history(rng, folder)
    report = Report("tampering", seed, size)
    tried = dict.fromkeys((way.name for way in WAYS), 0)
    for trial in range(size):
        way = WAYS[trial % len(WAYS)]
        place = _fresh(folder / "trial", grounds.present)
        way.act(rng, place, grounds)
        tried[way.name] += 1
        if not _is_noticed(place, grounds.anchor if way.needs_anchor else None):
            report.violations.append(f"seed {seed} trial {trial}: {way.name} was not noticed")
        if trial % _CONTROL_EVERY == 0:
            _fresh(place, grounds.present)
            if _is_noticed(place, grounds.anchor):
                report.violations.append(f"seed {seed} trial {trial}: a false alarm")
        tell(trial + 1, size)
    report.figures = {"tried": tried}
    report.seconds = round(clock.stopwatch() - started, 1)
    return report


def _is_noticed(place: Path, anchor: str | None) -> bool:
    try:
        with lamina.open(place) as mem:
            return any(finding.severity.is_damage for finding in mem.verify(anchor))
    except StoreDamagedError:
        return True


def _fresh(place: Path, file: Path) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    shutil.copyfile(file, place / DATABASE)
    return place


def _history(rng: random.Random, folder: Path) -> Grounds:
    """A store in which everything has happened, with copies of its file along the way."""
    home = folder / "home"
    past = []
    for number in range(_STEPS):
        with lamina.open(home) as mem:
            _step(rng, mem, number)
            anchor = mem.anchor().to_text()
        # Nobody has it open: the log was brought home and the file is all there is.
        copy = folder / f"{number}.db"
        shutil.copyfile(home / DATABASE, copy)
        past.append(copy)
    return Grounds(past[-1], tuple(past[_STEPS // 2 : -1]), anchor)


def _step(rng: random.Random, mem: Memory, number: int) -> None:
    scope = rng.choice(_SCOPES)
    known = mem.query({"scope": scope})
    if number < len(_SCOPES) * 3 or not known or rng.random() < 0.6:
        key = rng.choice(_KEYS) if rng.random() < 0.7 else None
        fields: dict[str, Any] = {"scope": _SCOPES[number % 4], **({"key": key} if key else {})}
        mem.remember(f"note {number} {rng.random()}", **fields)
        return
    record = rng.choice(known)
    change = rng.choice(("edit", "forget", "erase"))
    if change == "edit":
        mem.edit(record.id, f"edited {number}")
    elif change == "forget":
        mem.forget(record.id)
    else:
        mem.erase(record.id)


def _edit(rng: random.Random, place: Path, grounds: Grounds) -> None:
    """Another value in one column of one event."""
    with _sql(place) as connection:
        sid, seq = _any_event(rng, connection)
        column = rng.choice(tuple(_OTHERS))
        sql = f"update or replace event set {column} = ? where sid = ? and seq = ?"
        connection.execute(sql, (_OTHERS[column](rng), sid, seq))


def _delete(rng: random.Random, place: Path, grounds: Grounds) -> None:
    with _sql(place) as connection:
        connection.execute(_DELETE, _any_event(rng, connection))


def _swap(rng: random.Random, place: Path, grounds: Grounds) -> None:
    """Two events of one stream in each other's place."""
    with _sql(place) as connection:
        sid, last = _any_stream(rng, connection)
        low, high = sorted(rng.sample(range(1, last + 1), 2))
        for seq, to in ((low, -1), (high, low), (-1, high)):
            connection.execute(_RENUMBER, (to, sid, seq))


def _close_the_gap(rng: random.Random, place: Path, grounds: Grounds) -> None:
    """An event taken out, and all behind it renumbered."""
    with _sql(place) as connection:
        sid, last = _any_stream(rng, connection)
        gone = rng.randint(1, last)
        connection.execute(_DELETE, (sid, gone))
        for seq in range(gone + 1, last + 1):
            connection.execute(_RENUMBER, (seq - 1, sid, seq))
        _set_head(connection, sid, _events(connection, sid))


def _cut_off(rng: random.Random, place: Path, grounds: Grounds) -> None:
    """The end of a stream's log, without a thought for the rest."""
    with _sql(place) as connection:
        sid, last = _any_stream(rng, connection)
        sql = "delete from event where sid = ? and seq > ?"
        connection.execute(sql, (sid, rng.randint(0, last - 1)))


def _forge(rng: random.Random, place: Path, grounds: Grounds) -> None:
    """Another content under the same event."""
    with _sql(place) as connection:
        vid = rng.choice([vid for (vid,) in rows(connection, "select vid from version")])
        connection.execute("update version set text = text || '!' where vid = ?", (vid,))


def _vanish(rng: random.Random, place: Path, grounds: Grounds) -> None:
    """A record taken out with its versions, as if it had never been."""
    with _sql(place) as connection:
        rid = rng.choice([rid for (rid,) in rows(connection, "select rid from record")])
        for table in ("sealed", "version", "record"):
            connection.execute(f"delete from {table} where rid = ?", (rid,))
        connection.execute("delete from word where rowid = ?", (rid,))


def _put_back(rng: random.Random, place: Path, grounds: Grounds) -> None:
    """An older copy of the file."""
    shutil.copyfile(rng.choice(grounds.past), place / DATABASE)


def _put_back_and_write_on(rng: random.Random, place: Path, grounds: Grounds) -> None:
    """An older copy of the file, and after that another history."""
    _put_back(rng, place, grounds)
    with lamina.open(place) as mem:
        mem.remember_many(
            {"text": f"another history {number}", "scope": _SCOPES[number % 4]}
            for number in range(_STEPS)
        )


def _rewrite(rng: random.Random, place: Path, grounds: Grounds) -> None:
    """An event altered, and every hash from there on made anew."""
    with _sql(place) as connection:
        sid, last = _any_stream(rng, connection)
        events = _events(connection, sid)
        at = rng.randrange(last)
        events[at] = replace(events[at], actor="somebody-else")
        _write_chain(connection, sid, events)


def _rewrite_content(rng: random.Random, place: Path, grounds: Grounds) -> None:
    """Another content, with its digest and every hash behind it made anew."""
    with _sql(place) as connection:
        vid = rng.choice([vid for (vid,) in rows(connection, "select vid from version")])
        connection.execute("update version set text = text || '!' where vid = ?", (vid,))
        [(sid, seq, salt, *columns)] = rows(connection, _VERSION, (vid,))
        events = _events(connection, sid)
        digest = chain.digest(to_record(tuple(columns)), salt)
        events[seq - 1] = replace(events[seq - 1], digest=digest)
        _write_chain(connection, sid, events)


def _remove_stream(rng: random.Random, place: Path, grounds: Grounds) -> None:
    """A whole stream with everything that belongs to it."""
    with _sql(place) as connection:
        sid, _ = _any_stream(rng, connection)
        mine = "(select rid from record where sid = ?)"
        for table in ("sealed", "version"):
            connection.execute(f"delete from {table} where rid in {mine}", (sid,))
        connection.execute(f"delete from word where rowid in {mine}", (sid,))
        for table in ("record", "event", "stream"):
            connection.execute(f"delete from {table} where sid = ?", (sid,))


WAYS = (
    Tampering("edit", _edit),
    Tampering("delete", _delete),
    Tampering("swap", _swap),
    Tampering("close the gap", _close_the_gap),
    Tampering("cut off", _cut_off),
    Tampering("forge", _forge),
    Tampering("vanish", _vanish),
    Tampering("put back", _put_back, needs_anchor=True),
    Tampering("put back and write on", _put_back_and_write_on, needs_anchor=True),
    Tampering("rewrite", _rewrite, needs_anchor=True),
    Tampering("rewrite content", _rewrite_content, needs_anchor=True),
    Tampering("remove stream", _remove_stream, needs_anchor=True),
)
_DELETE = "delete from event where sid = ? and seq = ?"
_INSERT = f"insert into event values ({', '.join('?' * 11)})"
_RENUMBER = "update event set seq = ? where sid = ? and seq = ?"
_VERSION = (
    f"select r.sid, v.from_seq, v.salt, {RECORD_COLUMNS} from version v"
    " join record r on r.rid = v.rid where v.vid = ?"
)
_OTHERS: dict[str, Callable[[random.Random], Any]] = {
    "seq": lambda rng: rng.randint(1000, 9999),
    "tx": lambda rng: clock.fresh_id(),
    "record": lambda rng: clock.fresh_id(),
    "rev": lambda rng: rng.randint(1000, 9999),
    "action": lambda rng: rng.choice(("witnessed", "nonsense")),
    "actor": lambda rng: "somebody-else",
    "surface": lambda rng: "elsewhere",
    "at": lambda rng: rng.choice(("2001-01-01T00:00:00.000000Z", "some time")),
    "digest": lambda rng: rng.choice((rng.randbytes(32), "text")),
    "hash": lambda rng: rng.choice((rng.randbytes(32), "text")),
}
"""For each column of an event, a value that it never had."""


def _sql(place: Path) -> closing[Connection]:
    connection = connect(place / DATABASE, create=False)
    connection.execute("pragma foreign_keys = off; pragma synchronous = off")
    return closing(connection)


def _any_stream(rng: random.Random, connection: Connection) -> tuple[int, int]:
    found = list(rows(connection, "select sid, seq from stream order by sid"))
    sid, last = rng.choice(found)
    return sid, last


def _any_event(rng: random.Random, connection: Connection) -> tuple[int, int]:
    sid, last = _any_stream(rng, connection)
    return sid, rng.randint(1, last)


def _events(connection: Connection, sid: int) -> list[Event]:
    name = one(connection, "select name from stream where sid = ?", (sid,))
    return log.events(connection, name, 0, None)


def _write_chain(connection: Connection, sid: int, events: list[Event]) -> None:
    """Put the events in place with hashes that follow from each other."""
    forged = chained(events)
    connection.execute("delete from event where sid = ?", (sid,))
    for event in forged:
        connection.execute(_INSERT, (sid, *log.to_event_row(event)))
    _set_head(connection, sid, forged)


def _set_head(connection: Connection, sid: int, events: list[Event]) -> None:
    last = events[-1] if events else None
    digest = b"" if last is None else bytes.fromhex(last.hash)
    sql = "update stream set seq = ?, hash = ? where sid = ?"
    connection.execute(sql, (len(events), digest, sid))
