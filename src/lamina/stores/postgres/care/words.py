"""Words in their tables: whether they are those of the records, and making them anew."""

from collections.abc import Callable, Iterator
from typing import Final

from lamina.core.layers import is_indexed
from lamina.core.record import Record
from lamina.core.versions import INDEX_VERSION
from lamina.stores.base import Finding
from lamina.stores.postgres import holding, vectors, words
from lamina.stores.postgres.connections import Connections
from lamina.stores.postgres.driver import Connection as Session
from lamina.stores.sql.care.looking import Look, derived
from lamina.stores.sql.care.words import indexed as compared
from lamina.stores.sql.driver import Connection, Row, one, rows
from lamina.stores.sql.past import NEWEST
from lamina.stores.sql.rows import RECORD_COLUMNS, to_record

LONG_SECONDS: Final = 3600.0
"""For statements that read everything there is."""
INDEXED: Final = (
    f"select r.sid, r.length, w.body, {RECORD_COLUMNS} from {NEWEST}"
    " left join word w on w.rowid = r.rid order by r.rid"
)
_STRAYS: Final = (
    "select count(*) from word w where not exists (select 1 from record r where r.rid = w.rowid)"
)
_POSTINGS: Final = (
    "select count(*) from word_entry as s full join word_posting p"
    " on p.term = s.term and p.doc = s.doc where s.doc is null or p.doc is null or p.n <> s.n"
    " or p.length <> s.length or p.sid <> s.sid or p.pid <> s.pid"
)
_PLACES: Final = (
    "select count(*) from (select sid, scope, layer, count(*) as documents, sum(length) as tokens"
    " from record where length > 0 group by 1, 2, 3) as s full join place p"
    " on p.scope = s.scope and p.layer = s.layer where p.sid is distinct from s.sid"
    " or p.documents is distinct from s.documents or p.tokens is distinct from s.tokens"
)
_COUNTS: Final = (
    "select count(*) from (select term, count(*) as doc from word_posting group by term) as s"
    " full join word_count c on c.term = s.term where c.doc is distinct from s.doc"
)
_PAGE: Final = 500
_RECORDS: Final = (
    f"select r.rid, r.sid, {RECORD_COLUMNS} from {NEWEST} where r.rid > ? order by r.rid limit ?"
)
_RECOUNT: Final = (
    "update stream set documents = coalesce(c.documents, 0), tokens = coalesce(c.tokens, 0)"
    " from stream s left join (select sid, count(*) as documents, sum(length) as tokens from record"
    " where length > 0 group by sid) as c on c.sid = s.sid where stream.sid = s.sid"
)
_ANALYSED: Final = (
    "insert into setting values ('index_version', ?)"
    " on conflict (name) do update set value = excluded.value"
)


def indexed(look: Look) -> Iterator[Finding]:
    """Records whose words in the index are not their own, and words that are nobody's."""
    yield from compared(look, INDEXED)
    if strays := one(look.connection, _STRAYS):
        yield derived("index", f"entries of the index that belong to no record: {strays}")


def lookups(look: Look) -> Iterator[Finding]:
    """Words that the index holds and does not find, or counts wrongly."""
    if lost := one(look.connection, _POSTINGS):
        yield derived("words", f"words in the index that cannot be looked up: {lost}")
    if off := one(look.connection, _COUNTS):
        yield derived("words", f"words of which it is not known how many records hold them: {off}")
    if off := one(look.connection, _PLACES):
        yield derived("words", f"scopes whose words are counted wrongly: {off}")


def reindex(
    connections: Connections,
    analyse: Callable[[Record], tuple[str, ...]],
    tell: Callable[[float], None] = lambda share: None,
) -> int:
    """Build the keyword index anew from the records, which are the truth."""

    def work(connection: Session) -> int:
        with connection.patiently(LONG_SECONDS):
            return _analysed_anew(connection, analyse, tell)

    return connections.write(work, needs=holding.EVERYTHING)


def _analysed_anew(
    connection: Connection,
    analyse: Callable[[Record], tuple[str, ...]],
    tell: Callable[[float], None],
) -> int:
    connection.execute("truncate word, place, word_posting, word_count")
    connection.execute("update record set length = 0 where length > 0")
    total, number = one(connection, "select max(rid) from record") or 1, 0
    for page in _pages(connection):
        read = [(row[0], row[1], to_record(row[2:])) for row in page]
        found = [
            (sid, rid, analyse(record) if is_indexed(record) else ()) for rid, sid, record in read
        ]
        found = [one for one in found if one[2]]
        if found:
            words.add(connection, found)
            lengths = [(len(terms), rid) for _, rid, terms in found]
            connection.executemany("update record set length = ? where rid = ?", lengths)
        number += len(found)
        tell(page[-1][0] / total)
    connection.execute(_RECOUNT)
    vectors.look_again(connection)
    connection.execute(_ANALYSED, (INDEX_VERSION,))
    return number


def _pages(connection: Connection) -> Iterator[list[Row]]:
    last = 0
    while page := list(rows(connection, _RECORDS, (last, _PAGE))):
        yield page
        last = page[-1][0]
