"""The keyword index: it holds the words of the records, all of them and no others."""

from collections.abc import Iterator
from typing import Final

from lamina.core.layers import is_indexed
from lamina.core.record import Record
from lamina.stores.base import Finding
from lamina.stores.sql.care.looking import Look, derived, unreadable
from lamina.stores.sql.driver import one
from lamina.stores.sql.index import body as body_of
from lamina.stores.sql.rows import to_record

MISCOUNTED: Final = (
    "with counted (sid, documents, tokens) as (select sid, count(*), sum(length) from record"
    " not indexed where length > 0 group by sid)"
    " select count(*) from stream s not indexed left join counted c on c.sid = s.sid"
    " where s.documents <> coalesce(c.documents, 0) or s.tokens <> coalesce(c.tokens, 0)"
)


def indexed(look: Look, sql: str) -> Iterator[Finding]:
    """Records whose words in the index are not their own.

    The statement tells of each record its stream, its length, its words, and the record.
    """
    wrong, first = 0, ""
    for sid, length, body, *columns in look.each(sql):
        try:
            record = to_record(tuple(columns))
        except unreadable(look.connection):
            # The record is what is damaged; the index has nothing to be compared with.
            continue
        if not _right(look, record, (sid, length, body)):
            wrong, first = wrong + 1, first or record.id
    if wrong:
        yield derived("index", f"records indexed by other words: {wrong}, such as {first}")


def statistics(look: Look) -> Iterator[Finding]:
    """Streams whose number of documents or words is not what the records add up to."""
    if off := one(look.connection, MISCOUNTED):
        yield derived("statistics", f"streams whose words are counted wrongly: {off}")


def _right(look: Look, record: Record, entry: tuple[int, int, str | None]) -> bool:
    sid, length, body = entry
    if not is_indexed(record):
        return body is None and length == 0
    if look.aids.analyse is None:
        # Without the analyser: as many words as were counted, all of them the stream's.
        words = body.split(" ") if body else []
        return len(words) == length and all(word.startswith(f"{sid}:") for word in words)
    terms = look.aids.analyse(record)
    return (body or "", length) == (body_of(sid, terms), len(terms))
