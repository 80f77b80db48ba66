"""Words in FTS5, which serves as a store of postings, and when a stream is worth more than that."""

from collections.abc import Sequence
from typing import Final

from lamina.stores.sql.driver import Connection, Indexed
from lamina.stores.sql.index import body

LARGE: Final = 2_000
"""Documents from which a stream is worth segments; below, FTS5 answers about as fast."""
POSTINGS: Final = (
    "select doc, ? * count(*) * ? / (count(*) + ? * (1 - ? + ? * r.length / ?)) as gain"
    " from word_posting p join record r on r.rid = p.doc where p.term = ?%s group by doc"
)
COUNTED: Final = "select count(*), coalesce(sum(r.length), 0) from record r where r.length > 0 and "
SEEN: Final = " and p.doc in (select r.rid from record r where {})"


def add(connection: Connection, records: Sequence[Indexed]) -> None:
    """Index records that are not indexed."""
    bodies = ((rid, body(sid, terms)) for sid, rid, terms in records)
    connection.executemany("insert into word (rowid, body) values (?, ?)", bodies)


def drop(connection: Connection, rid: int) -> None:
    """Take an indexed record out of the index."""
    connection.execute("delete from word where rowid = ?", (rid,))
