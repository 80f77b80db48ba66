"""Looking a store in Postgres over, and building anew what follows from its records."""

from collections.abc import Callable, Iterator
from typing import Final

from lamina.core.layers import is_indexed
from lamina.core.record import Record
from lamina.core.versions import INDEX_VERSION
from lamina.stores.postgres import holding, vectors, words
from lamina.stores.postgres.connections import Connections
from lamina.stores.sql.driver import Connection, Row, one, rows
from lamina.stores.sql.past import NEWEST
from lamina.stores.sql.rows import RECORD_COLUMNS, to_record

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


def reindex(
    connections: Connections,
    analyse: Callable[[Record], tuple[str, ...]],
    tell: Callable[[float], None] = lambda share: None,
) -> int:
    """Build the keyword index anew from the records, which are the truth."""

    def work(connection: Connection) -> int:
        connection.execute("truncate word, word_posting, word_count")
        connection.execute("update record set length = 0 where length > 0")
        total, number = one(connection, "select max(rid) from record") or 1, 0
        for page in _pages(connection):
            read = [(row[0], row[1], to_record(row[2:])) for row in page]
            found = [
                (sid, rid, analyse(record) if is_indexed(record) else ())
                for rid, sid, record in read
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

    return connections.write(work, needs=holding.EVERYTHING)


def _pages(connection: Connection) -> Iterator[list[Row]]:
    last = 0
    while page := list(rows(connection, _RECORDS, (last, _PAGE))):
        yield page
        last = page[-1][0]
