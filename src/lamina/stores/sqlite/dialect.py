"""What SQLite does in its own way."""

from typing import Final

import apsw

from lamina.core import bm25
from lamina.stores.sql.driver import Connection, Dialect
from lamina.stores.sqlite import formats, words


def _drop_vectors(connection: Connection, rid: int) -> None:
    from lamina.stores.sqlite import vectors

    vectors.drop(connection, rid)


DIALECT: Final = Dialect(
    error=apsw.Error,
    format=formats.NEWEST,
    next_number="select ifnull(max(vid), 0) + 1 from version",
    moment=(
        "with moment (sid, seq) as materialized (select s.sid, j.value from json_each(?) j"
        " join stream s on s.name = j.key) "
    ),
    task="case when json_valid(v.data) then json_extract(v.data, '$.task') end",
    receipt_stream="x.body ->> '$[2][0][0]'",
    receipt_seq="x.body ->> '$[2][0][1]'",
    postings=words.POSTINGS,
    rounded=f"round(%s, {bm25.PRECISION})",
    add_words=words.add,
    drop_words=words.drop,
    drop_vectors=_drop_vectors,
)
