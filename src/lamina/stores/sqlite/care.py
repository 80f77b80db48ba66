"""Looking a store over: the file, the index, the chain, and whether they agree."""

from collections.abc import Callable, Iterator
from typing import Final

from lamina.core import chain
from lamina.core.layers import is_indexed
from lamina.core.record import INDEXED, Record
from lamina.core.versions import INDEX_VERSION
from lamina.stores.base import Finding, Severity
from lamina.stores.sqlite import index, log, reads
from lamina.stores.sqlite.connections import Connections
from lamina.stores.sqlite.driver import Connection, DriverError, one, rows
from lamina.stores.sqlite.rows import RECORD_COLUMNS, to_record

_REPAIR: Final = "Run `lamina doctor --repair`"
_RESTORE: Final = "Keep the file as it is and restore from an export or a backup"
_RECOUNT: Final = (
    "update stream set (documents, tokens) = (select count(*), ifnull(sum(length), 0) from record r"
    " where r.sid = stream.sid and r.length > 0)"
)
_STRAYS: Final = {
    "versions without a record": "select count(*) from version where rid not in"
    " (select rid from record)",
    "records without a version": "select count(*) from record where head not in"
    " (select vid from version)",
    "records whose newest version has no event": "select count(*) from record r join version v"
    " on v.vid = r.head left join event e on e.sid = r.sid and e.seq = v.from_seq"
    " where e.record is not r.id",
    "sealed values without a record": "select count(*) from sealed where rid not in"
    " (select rid from record)",
}


def check(connections: Connections) -> list[Finding]:
    """Every check with its result, in the order a person would ask."""
    checks: tuple[Callable[[Connection], Iterator[Finding]], ...] = (
        _file, _strays, _chains, _digests, _index, _statistics,
    )  # fmt: skip
    findings = []
    with connections.reading() as connection:
        for one_check in checks:
            name = one_check.__name__.strip("_")
            try:
                found = list(one_check(connection))
            except DriverError as error:
                found = [Finding(name, Severity.RECORD, f"it cannot be read: {error}", _RESTORE)]
            findings += found or [Finding(name, Severity.OK, "nothing wrong")]
    # FTS5 checks itself only through a write, so this one cannot run on a reader.
    return findings + connections.alone(_index_itself)


def reindex(connection: Connection, analyse: Callable[[Record], tuple[str, ...]]) -> int:
    """Build the keyword index anew from the records, which are the truth."""
    # A damaged index cannot be trusted to delete its own entries, so it is made anew.
    schema = one(connection, "select sql from sqlite_schema where name = 'word'")
    connection.execute("drop table word")
    connection.execute(schema)
    connection.execute("insert into word (word, rank) values ('secure-delete', 1)")
    connection.execute("update record set length = 0")
    every = f"select r.rid, r.sid, {RECORD_COLUMNS} from {reads.NEWEST}"
    for rid, sid, *columns in list(rows(connection, every)):
        record = to_record(tuple(columns))
        terms = analyse(record) if is_indexed(record) else ()
        if terms:
            index.add(connection, sid, rid, terms)
            connection.execute("update record set length = ? where rid = ?", (len(terms), rid))
    connection.execute(_RECOUNT)
    connection.execute(
        "insert or replace into setting values ('index_version', ?)", (INDEX_VERSION,)
    )
    return int(one(connection, "select count(*) from word"))


def _file(connection: Connection) -> Iterator[Finding]:
    # FTS5 notices another connection's writes when it is read, but not when it is checked.
    one(connection, "select rowid from word limit 1")
    for (line,) in rows(connection, "pragma integrity_check(20)"):
        if line == "ok":
            continue
        if "fts5" in line.lower():
            yield Finding("file", Severity.DERIVED, line, _REPAIR)
        else:
            yield Finding("file", Severity.RECORD, line, _RESTORE)


def _strays(connection: Connection) -> Iterator[Finding]:
    for what, sql in _STRAYS.items():
        if number := one(connection, sql):
            yield Finding("strays", Severity.RECORD, f"{number} {what}", _RESTORE)


def _chains(connection: Connection) -> Iterator[Finding]:
    for name in reads.streams(connection):
        events = log.events(connection, name, 0, None)
        for found in chain.verify(events):
            where = f"{found.stream} event {found.seq}: {found.reason}"
            yield Finding("chain", Severity.RECORD, where, _RESTORE)
        [(seq, digest)] = rows(connection, "select seq, hash from stream where name = ?", (name,))
        if (len(events), events[-1].hash if events else "") != (seq, digest.hex()):
            yield Finding(
                "chain", Severity.RECORD, f"{name}: the newest events are missing", _RESTORE
            )


def _digests(connection: Connection) -> Iterator[Finding]:
    """Whether each version still says what its event recorded."""
    sql = (
        f"select e.digest, v.salt, {RECORD_COLUMNS} from version v join record r on r.rid = v.rid"
        " join event e on e.sid = r.sid and e.seq = v.from_seq"
    )
    for recorded, salt, *columns in rows(connection, sql):
        record = to_record(tuple(columns))
        if chain.digest(record, salt) != recorded.hex():
            what = f"record {record.id} rev {record.rev} is not what was written"
            yield Finding("digests", Severity.RECORD, what, _RESTORE)


def _index(connection: Connection) -> Iterator[Finding]:
    states = ", ".join(f"'{state}'" for state in sorted(INDEXED))
    wrong = one(
        connection,
        f"select count(*) from {reads.NEWEST} left join word w on w.rowid = r.rid"
        " where (r.length > 0) <> (w.rowid is not null)"
        f" or r.length > 0 and v.state not in ({states})",
    )
    strays = one(
        connection, "select count(*) from word where rowid not in (select rid from record)"
    )
    if wrong or strays:
        what = f"{wrong} records and {strays} index entries do not belong together"
        yield Finding("index", Severity.DERIVED, what, _REPAIR)


def _statistics(connection: Connection) -> Iterator[Finding]:
    off = one(
        connection,
        "select count(*) from stream s where (s.documents, s.tokens) is not"
        " (select count(*), ifnull(sum(length), 0) from record r"
        "  where r.sid = s.sid and r.length > 0)",
    )
    if off:
        what = f"the word counts of {off} streams are wrong"
        yield Finding("statistics", Severity.DERIVED, what, _REPAIR)


def _index_itself(connection: Connection) -> list[Finding]:
    try:
        # Rank 1 compares the index with its content; the plain check does not.
        connection.execute("insert into word (word, rank) values ('integrity-check', 1)")
    except DriverError as error:
        return [
            Finding("words", Severity.DERIVED, f"the keyword index is damaged: {error}", _REPAIR)
        ]
    return [Finding("words", Severity.OK, "nothing wrong")]
