"""Words in plain tables: postings for scoring, counts for the vocabulary, bodies for taking out."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from lamina.core import bm25
from lamina.stores.sql.driver import Connection, Indexed, one
from lamina.stores.sql.index import body

POSTINGS: Final = (
    "select doc, cast(? as double precision) * n * cast(? as double precision)"
    " / (n + cast(? as double precision) * (1 - cast(? as double precision)"
    " + cast(? as double precision) * length / nullif(cast(? as double precision), 0))) as gain"
    " from word_posting p where p.term = ?%s"
)
ROUNDED: Final = f"floor(%s * 1e{bm25.PRECISION} + 0.5) / 1e{bm25.PRECISION}"
_ADD: Final = "insert into word (rowid, sid, body) values (?, ?, ?)"
_ADD_POSTINGS: Final = (
    "insert into word_posting (term, doc, sid, n, length) select * from unnest("
    "string_to_array(?, ' '), string_to_array(?, ' ')::bigint[], string_to_array(?, ' ')::bigint[],"
    " string_to_array(?, ' ')::bigint[], string_to_array(?, ' ')::bigint[])"
)
_COUNT: Final = (
    "insert into word_count (term, sid, doc) select * from unnest("
    "string_to_array(?, ' '), string_to_array(?, ' ')::bigint[], string_to_array(?, ' ')::bigint[])"
    " on conflict (term) do update set doc = word_count.doc + excluded.doc"
)
_LISTED: Final = "term = any (string_to_array(?, ' '))"


def add(connection: Connection, records: Sequence[Indexed]) -> None:
    """Index records that are not indexed."""
    bodies = [(rid, sid, body(sid, terms)) for sid, rid, terms in records]
    connection.executemany(_ADD, bodies)
    postings: list[tuple[str, int, int, int, int]] = []
    documents: Counter[tuple[str, int]] = Counter()
    for rid, sid, said in bodies:
        held = Counter(said.split(" "))
        length = held.total()
        postings += ((term, rid, sid, number, length) for term, number in held.items())
        documents.update((term, sid) for term in held)
    connection.execute(_ADD_POSTINGS, _columns(postings))
    # In one order, whoever counts.
    counts = sorted((term, sid, number) for (term, sid), number in documents.items())
    connection.execute(_COUNT, _columns(counts))


def drop(connection: Connection, rid: int) -> None:
    """Take an indexed record out of the index; a word that nobody holds any more is forgotten."""
    said = one(connection, "select body from word where rowid = ?", (rid,))
    listed = " ".join(sorted(set(str(said).split(" "))))
    with connection.dialect.at_once(connection):
        connection.execute("delete from word where rowid = ?", (rid,))
        connection.execute(f"delete from word_posting where doc = ? and {_LISTED}", (rid, listed))
        connection.execute(f"update word_count set doc = doc - 1 where {_LISTED}", (listed,))
        connection.execute(f"delete from word_count where doc < 1 and {_LISTED}", (listed,))


def _columns(rows: Sequence[tuple[object, ...]]) -> tuple[str, ...]:
    return tuple(" ".join(map(str, column)) for column in zip(*rows, strict=True))
