"""The keyword index: it holds the words of the records, all of them and no others."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from lamina.core.layers import is_indexed
from lamina.core.record import Record
from lamina.core.versions import INDEX_VERSION
from lamina.stores.base import Finding
from lamina.stores.sql.care.looking import Look, derived
from lamina.stores.sql.care.words import indexed as compared
from lamina.stores.sql.driver import one, rows
from lamina.stores.sql.past import NEWEST
from lamina.stores.sql.rows import RECORD_COLUMNS, to_record
from lamina.stores.sqlite import vectors, words
from lamina.stores.sqlite.care.tables import expected
from lamina.stores.sqlite.driver import Connection

_PAGE: Final = 500
INDEXED: Final = (
    f"select r.sid, r.length, c.c0, {RECORD_COLUMNS}"
    " from record r not indexed join version v not indexed on v.vid = r.head"
    " left join word_content c on c.id = r.rid order by r.rid"
)
STRAYS: Final = (
    "select count(*) from word_content c left join record r not indexed on r.rid = c.id"
    " where r.rid is null"
)
# A word is looked up through a directory that FTS5's own check does not compare with the postings.
_LOST: Final = (
    "select count(*) from word_count every where not exists (select 1 from word_count found"
    " where found.term = every.term and found.doc = every.doc and found.cnt = every.cnt)"
)
_RECOUNT: Final = (
    "update stream set (documents, tokens) = (select count(*), ifnull(sum(length), 0) from record r"
    " where r.sid = stream.sid and r.length > 0)"
)
_RECORDS: Final = (
    f"select r.rid, r.sid, {RECORD_COLUMNS} from {NEWEST} where r.rid > ? order by r.rid limit ?"
)


def indexed(look: Look) -> Iterator[Finding]:
    """Records whose words in the index are not their own, and words that are nobody's."""
    yield from compared(look, INDEXED)
    if strays := one(look.connection, STRAYS):
        yield derived("index", f"entries of the index that belong to no record: {strays}")


def lookups(look: Look) -> Iterator[Finding]:
    """Words that the index holds and does not find, and whether it forgets what is erased."""
    if lost := one(look.connection, _LOST):
        yield derived("words", f"words in the index that cannot be looked up: {lost}")
    if one(look.connection, "select v from word_config where k = 'secure-delete'") != 1:
        yield derived("words", "the index would keep the words of what is erased")


def reindex(
    connection: Connection,
    analyse: Callable[[Record], tuple[str, ...]],
    tell: Callable[[float], None] = lambda share: None,
) -> int:
    """Build the keyword index anew from the records, which are the truth."""
    # A damaged index cannot be trusted to delete its own entries, so it is made anew. It cannot
    # even be dropped when it does not know its own version.
    if one(connection, "select 1 from sqlite_schema where name = 'word_config'"):
        connection.execute("insert or replace into word_config values ('version', 4)")
    connection.execute("drop table if exists word")
    connection.execute(expected()["table", "word"])
    connection.execute("insert into word (word, rank) values ('secure-delete', 1)")
    connection.execute("update record set length = 0")
    total = one(connection, "select max(rid) from record") or 1
    for rid, sid, *columns in _every(connection):
        record = to_record(tuple(columns))
        terms = analyse(record) if is_indexed(record) else ()
        if terms:
            words.add(connection, [(sid, rid, terms)])
            connection.execute("update record set length = ? where rid = ?", (len(terms), rid))
        tell(rid / total)
    connection.execute(_RECOUNT)
    vectors.look_again(connection)
    connection.execute(
        "insert or replace into setting values ('index_version', ?)", (INDEX_VERSION,)
    )
    return int(one(connection, "select count(*) from word"))


def _every(connection: Connection) -> Iterator[tuple[Any, ...]]:
    """The newest version of every record, read in pages because the caller writes meanwhile."""
    last = 0
    while page := list(rows(connection, _RECORDS, (last, _PAGE))):
        yield from page
        last = page[-1][0]
