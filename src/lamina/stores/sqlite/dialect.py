"""What SQLite does in its own way."""

from collections.abc import Iterator
from typing import Final

import apsw

from lamina.core import bm25
from lamina.stores.sql.driver import Connection, Dialect, one
from lamina.stores.sqlite import formats, words


def _numbers(connection: Connection, number: int) -> Iterator[int]:
    first = one(connection, "select ifnull(max(vid), 0) + 1 from version") if number else 0
    return iter(range(first, first + number))


def _drop_vectors(connection: Connection, rid: int) -> None:
    from lamina.stores.sqlite import vectors

    vectors.drop(connection, rid)


DIALECT: Final = Dialect(
    error=apsw.Error,
    format=formats.NEWEST,
    numbers=_numbers,
    takes_hints=True,
    task="case when json_valid(v.data) then json_extract(v.data, '$.task') end",
    receipt_stream="x.body ->> '$[2][0][0]'",
    receipt_seq="x.body ->> '$[2][0][1]'",
    postings=words.POSTINGS,
    counted=words.COUNTED,
    seen=words.SEEN,
    rounded=f"round(%s, {bm25.PRECISION})",
    add_words=words.add,
    drop_words=words.drop,
    drop_vectors=_drop_vectors,
)
