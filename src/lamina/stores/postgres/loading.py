"""Filling an empty store by COPY: rows first, what finds them afterwards.

It is one transaction, in which the tables are nobody else's: other processes wait, or give up. An
index that is built once over everything takes a fraction of what it takes row by row.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Final

from lamina.core.changes import Commit, Receipt
from lamina.core.ids import RecordId
from lamina.core.planning import durability_of, make_plan, needs, streams_of
from lamina.core.record import Record
from lamina.core.scope import stream_of
from lamina.errors import ConflictError, InvalidInputError
from lamina.stores import receipts
from lamina.stores.postgres import holding, words
from lamina.stores.postgres.driver import Connection
from lamina.stores.sql.commits import gathered, note
from lamina.stores.sql.driver import one
from lamina.stores.sql.index import body
from lamina.stores.sql.present import Present

_TABLES: Final = ("record", "version", "event", "word", "place", "word_posting", "word_count")
_LISTED: Final = f"(values {', '.join(f'({name!r})' for name in _TABLES)}) as t (name)"
_HELD: Final = (
    "select exists (select 1 from event) or exists (select 1 from record)"
    " or exists (select 1 from tombstone)"
)
_CONSTRAINTS: Final = (
    "select t.name, c.conname, pg_get_constraintdef(c.oid) from pg_constraint c"
    f" join {_LISTED} on c.conrelid = to_regclass(t.name) where c.contype in ('p', 'u')"
)
_INDEXES: Final = (
    "select cast(i.indexrelid::regclass as text), pg_get_indexdef(i.indexrelid) from pg_index i"
    f" join {_LISTED} on i.indrelid = to_regclass(t.name)"
    " where not exists (select 1 from pg_constraint c where c.conindid = i.indexrelid)"
)
_ROOM: Final = (
    ("maintenance_work_mem", "512MB"), ("work_mem", "64MB"),
    ("idle_in_transaction_session_timeout", "0"),
)  # fmt: skip
_INSERT: Final = re.compile(
    r"insert into (\w+)(?: \(([^)]*)\))? values \([?, ]*\)(?: on conflict do nothing)?"
)
_PLACES: Final = (
    "insert into place (sid, scope, layer, documents, tokens)"
    " select sid, scope, layer, count(*), sum(length) from record where length > 0 group by 1, 2, 3"
)
_COUNTS: Final = (
    "insert into word_count (term, sid, doc)"
    " select term, min(sid), count(*) from word_posting group by term"
)


@dataclass(slots=True)
class _Fresh(Present):
    """The present of a store that holds nothing: only its streams are known, as they grow."""

    def records(self, ids: Sequence[RecordId]) -> Iterator[Record]:
        return iter(())

    def holders(self, places: Sequence[str]) -> Iterator[Record]:
        return iter(())

    def erased(self, ids: Sequence[RecordId]) -> list[RecordId]:
        return []


class Loader:
    """Takes commits of new records; they are there for all at the end, or not at all."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._present = _Fresh.of(connection)

    def commit(self, commit: Commit) -> Receipt:
        """Copy in what a commit adds."""
        connection, present = self._connection, self._present
        connection.held |= {stream_of(scope) for scope in needs(commit).scopes}
        plan = make_plan(commit, present)
        streams = {name: present.stream(name) for name in streams_of(plan.steps)}
        writing = gathered(connection, plan, streams)
        for sql, rows in writing.taken():
            table, columns = _target(sql)
            if table in _TABLES:
                connection.copy_in(table, columns, rows)
            else:
                connection.executemany(sql, rows)
        bodies = [(rid, sid, body(sid, terms)) for sid, rid, terms in writing.words]
        connection.copy_in("word", ("rowid", "sid", "body"), bodies)
        seqs = tuple((name, stream.head.seq) for name, stream in streams.items())
        receipt = Receipt(commit.tx, plan.outcomes, seqs, durability_of(commit))
        if (owner := receipts.owner_of(commit)) is not None:
            note(connection, owner, commit, receipt)
        return receipt

    def save(self) -> None:
        """Write down how far the streams have come."""
        self._present.save()


@contextmanager
def loading(connection: Connection, schema: str) -> Iterator[Loader]:
    """Load within the block what goes into an empty store.

    Raises:
        ConflictError: There is something in it.
    """
    connection.begin(local=_ROOM)
    try:
        holding.hold(connection, schema, [holding.EVERYTHING], frozenset())
        _check_empty(connection)
        rebuild = _without_indexes(connection)
        loader = Loader(connection)
        yield loader
        loader.save()
        connection.execute(_PLACES)
        connection.run("analyze record, place, word")
        connection.execute(words.POST)
        connection.execute(_COUNTS)
        for statement in rebuild:
            connection.run(statement)
    except BaseException:
        connection.roll_back()
        raise
    connection.commit()
    # Scores are made from an index alone only where it is known that nothing below it has changed.
    connection.run("vacuum (analyze) " + ", ".join((*_TABLES, "stream")))


def _check_empty(connection: Connection) -> None:
    if one(connection, _HELD):
        raise ConflictError(
            "only a store that has never held a record can be loaded at once",
            remedy="Choose another schema, or write to this one in the usual way",
        )


def _without_indexes(connection: Connection) -> list[str]:
    """Take away all that every row would have to pass; what brings it back."""
    drop, rebuild = [], []
    for table, name, definition in connection.execute(_CONSTRAINTS).fetchall():
        drop.append(f"alter table {table} drop constraint {name}")
        rebuild.append(f"alter table {table} add constraint {name} {definition}")
    for name, definition in connection.execute(_INDEXES).fetchall():
        drop.append(f"drop index {name}")
        # Of a partitioned table it is told as if its partitions had none.
        rebuild.append(definition.replace(" ON ONLY ", " ON ", 1))
    for table in _TABLES:
        # No rows can be copied past policies, not even by whoever they let through.
        drop.append(f"alter table {table} no force row level security")
        rebuild.append(f"alter table {table} force row level security")
    connection.run("; ".join(drop))
    return rebuild


@cache
def _target(sql: str) -> tuple[str, tuple[str, ...]]:
    """The table and the columns that a statement adds a row to."""
    found = _INSERT.fullmatch(sql)
    if found is None:
        raise InvalidInputError("only new records can be loaded at once")
    table, columns = found.groups()
    return table, tuple(columns.split(", ")) if columns else ()
