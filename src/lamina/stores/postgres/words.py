"""Words in plain tables: postings for scoring, counts for the vocabulary, bodies for taking out.

What a record says is kept once, in `word`; all other tables follow from it.
"""

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
COUNTED: Final = (
    "select coalesce(sum(r.documents), 0), coalesce(sum(r.tokens), 0) from place r where "
)
SEEN: Final = " and p.pid in (select r.pid from place r where {})"
OF_SOME: Final = " where doc in (select cast(value as bigint) from json_each(?))"
POST: Final = (
    "insert into word_posting (term, doc, sid, pid, n, length)"
    " select term, doc, sid, pid, n, length from word_entry"
)
_ADD: Final = "insert into word (rowid, sid, body) values (?, ?, ?)"
PLACE: Final = (
    "insert into place (sid, scope, layer, documents, tokens) select r.sid, r.scope, r.layer,"
    " count(*), sum(cardinality(string_to_array(w.body, ' '))) from word w"
    " join record r on r.rid = w.rowid"
    " where w.rowid in (select cast(value as bigint) from json_each(?)) group by 1, 2, 3"
    " order by 2, 3 on conflict (scope, layer) do update set"
    " documents = place.documents + excluded.documents, tokens = place.tokens + excluded.tokens"
)
_COUNT: Final = (
    "insert into word_count (term, sid, doc)"
    f" select term, min(sid), count(*) from word_entry{OF_SOME}"
    # In one order, whoever counts.
    " group by term order by term"
    " on conflict (term) do update set doc = word_count.doc + excluded.doc"
)
_LISTED: Final = "term = any (string_to_array(?, ' '))"
_LEAVE: Final = (
    "update place p set documents = p.documents - 1, tokens = p.tokens - ? from record r"
    " where r.rid = ? and p.scope = r.scope and p.layer = r.layer"
)
_EMPTY: Final = (
    "delete from place p using record r"
    " where r.rid = ? and p.scope = r.scope and p.layer = r.layer and p.documents < 1"
)


def add(connection: Connection, records: Sequence[Indexed]) -> None:
    """Index records that are not indexed."""
    connection.executemany(_ADD, [(rid, sid, body(sid, terms)) for sid, rid, terms in records])
    listed = f"[{','.join(str(rid) for _, rid, _ in records)}]"
    for sql in (PLACE, POST + OF_SOME, _COUNT):
        connection.execute(sql, (listed,))


def drop(connection: Connection, rid: int) -> None:
    """Take an indexed record out of the index; a word that nobody holds any more is forgotten."""
    said = str(one(connection, "select body from word where rowid = ?", (rid,))).split(" ")
    listed = " ".join(sorted(set(said)))
    with connection.dialect.at_once(connection):
        connection.execute("delete from word where rowid = ?", (rid,))
        connection.execute(f"delete from word_posting where doc = ? and {_LISTED}", (rid, listed))
        connection.execute(f"update word_count set doc = doc - 1 where {_LISTED}", (listed,))
        connection.execute(f"delete from word_count where doc < 1 and {_LISTED}", (listed,))
        connection.execute(_LEAVE, (len(said), rid))
        connection.execute(_EMPTY, (rid,))
