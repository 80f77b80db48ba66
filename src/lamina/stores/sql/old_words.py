"""How a stream's keyword index differed from today's at a time in the past.

The index holds the newest versions only. What has changed since the time asked about is known from
the log: those entries are not to be believed, and the versions of then are analysed anew. The cost
grows with what happened since, not with the size of the store.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lamina.core.access import Reach
from lamina.core.indexing import index_terms
from lamina.core.layers import is_indexed
from lamina.core.record import Record
from lamina.stores.sql.driver import Connection, rows
from lamina.stores.sql.past import source
from lamina.stores.sql.rows import RECORD_COLUMNS, to_record

_TOUCHED: Final = "select distinct record from event where sid = ? and seq > ?"
_TODAY: Final = (
    f"select r.rid, r.scope, r.layer, r.length, w.body from ({_TOUCHED}) t"
    " join record r on r.id = t.record left join word w on w.rowid = r.rid"
)


@dataclass(frozen=True, slots=True)
class Document:
    """A version as the index held it then."""

    rid: int
    record: Record
    terms: Counter[str]


@dataclass(frozen=True, slots=True)
class Difference:
    """What to leave out of today's index, and what to put in its place."""

    touched: str
    """The records whose entries are not those of then, as a JSON list."""
    documents: tuple[Document, ...]
    number: int
    """How many documents there were more than today (or less) within sight."""
    tokens: int
    """How many more tokens they had."""
    vocabulary: Mapping[str, int]
    """For each token, how many more of them held it."""

    @property
    def by_record(self) -> dict[int, Document]:
        """The versions of then, by the number of their record."""
        return {one.rid: one for one in self.documents}

    def applied(self, today: Mapping[str, int], holds: Callable[[str], bool]) -> dict[str, int]:
        """Today's document counts of some tokens, turned into those of then."""
        then = Counter(today)
        then.update({token: more for token, more in self.vocabulary.items() if holds(token)})
        return {token: number for token, number in then.items() if number}


def difference(
    connection: Connection, stream: tuple[str, int], as_of: Mapping[str, int], reach: Reach
) -> Difference:
    """Compare a stream's index with what it was when the stream had come so far."""
    name, sid = stream
    since = (sid, as_of.get(name, 0))
    today = list(rows(connection, _TODAY, since))
    documents = _documents(connection, sid, since, as_of)
    whole = reach.sees_stream(name)
    vocabulary: Counter[str] = Counter()
    number = tokens = 0
    for _, scope, layer, length, body in today:
        if body and (whole or any(grant.covers(scope, layer) for grant in reach.grants)):
            vocabulary.subtract(set(body.split(" ")))
            number, tokens = number - 1, tokens - length
    for document in documents:
        if whole or reach.sees(document.record):
            vocabulary.update(set(document.terms))
            number, tokens = number + 1, tokens + document.terms.total()
    return Difference(
        touched=json.dumps([row[0] for row in today]),
        documents=tuple(documents),
        number=number,
        tokens=tokens,
        vocabulary=vocabulary,
    )


def _documents(
    connection: Connection, sid: int, since: tuple[int, int], as_of: Mapping[str, int]
) -> Sequence[Document]:
    moment, records = source(connection.dialect, as_of)
    sql = f"{moment.sql}select r.rid, {RECORD_COLUMNS} from {records} where r.id in ({_TOUCHED})"
    found = []
    for rid, *columns in list(rows(connection, sql, (*moment.parameters, *since))):
        record = to_record(tuple(columns))
        terms = index_terms(record, record.key) if is_indexed(record) else ()
        if terms:
            found.append(Document(rid, record, Counter(f"{sid}:{token}" for token in terms)))
    return found
