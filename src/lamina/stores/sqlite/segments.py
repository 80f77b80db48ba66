"""The keyword index of large streams, in mapped files that are searched in milliseconds.

FTS5 holds the truth; walking its postings takes long where there are very many.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from lamina.core import bm25
from lamina.core.access import Grant
from lamina.core.text import Term
from lamina.indexes.file import Header
from lamina.indexes.places import EVERYWHERE, Sight
from lamina.indexes.postings import WordDoc
from lamina.indexes.word_index import WordIndex
from lamina.indexes.words import WordSegment
from lamina.stores.sql.driver import one, rows
from lamina.stores.sql.index import Scored
from lamina.stores.sql.old_words import Difference
from lamina.stores.sql.searching import Within, layers_in
from lamina.stores.sql.streams import Stream
from lamina.stores.sqlite.driver import Connection
from lamina.stores.sqlite.following import Following, Known, Place, Reading
from lamina.stores.sqlite.words import LARGE

_TOO_MANY: Final = 50_000
"""Changes since the segments, beyond which FTS5 answers sooner than they are read."""
_DOCUMENTS: Final = (
    "select r.rid, r.scope, r.layer, w.body from record r join word w on w.rowid = r.rid"
    " where r.sid = ? and r.rid > ? order by r.rid limit ?"
)
_TOUCHED: Final = (
    "select r.rid, r.scope, r.layer, w.body"
    " from (select distinct record from event where sid = ? and seq > ?) t"
    " join record r on r.id = t.record left join word w on w.rowid = r.rid"
)


class WordSegments(Following[WordIndex, WordSegment]):
    """The words of large streams; those of others are looked up in FTS5 directly."""

    sort = "words"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, self.sort, WordSegment.open)

    def _edition(self, connection: Connection) -> str:
        # To work the words out anew makes their table anew, and SQLite counts that.
        version = one(connection, "select value from setting where name = 'index_version'")
        return f"{version}.{one(connection, 'pragma schema_version')}"

    def _large(self, connection: Connection) -> list[int]:
        found = rows(connection, "select sid from stream where documents >= ?", (LARGE,))
        return [sid for (sid,) in found]

    def _place(self, connection: Connection, sid: int) -> Place:
        seq = int(one(connection, "select seq from stream where sid = ?", (sid,)))
        return Place(seq, seq)

    def _of(self, chain: Sequence[WordSegment]) -> WordIndex | None:
        return WordIndex.of(chain) if chain else None

    def _news(self, connection: Connection, sid: int, known: Known[WordIndex]) -> WordIndex | None:
        if self._place(connection, sid).seq - known.at.seq > _TOO_MANY:
            return None
        put, drop = [], []
        for rid, scope, layer, body in rows(connection, _TOUCHED, (sid, known.at.seq)):
            if body is None:
                drop.append(rid)
            else:
                put.append(_document(rid, scope, layer, body))
        return known.index.changed(put, drop)

    def _whole(self, stream: Reading, path: Path, header: Header) -> WordSegment:
        every = (_document(*row) for page in stream.pages(_DOCUMENTS) for row in page)
        return WordSegment.build(path, header, every)

    def _newest(self, path: Path, header: Header, index: WordIndex) -> WordSegment:
        return WordSegment.build(path, header, index.overlay.docs(), index.overlay.gone)

    def _joined(self, path: Path, header: Header, views: Sequence[Any]) -> WordSegment:
        return WordSegment.merge(path, header, views)


class SegmentWords:
    """One query's words in the segments of a stream."""

    def __init__(
        self, index: WordIndex, stream: Stream, terms: Sequence[Term], within: Within
    ) -> None:
        visible = EVERYWHERE if stream.sight is None else Sight.of(within.reach)
        if stream.past is not None:
            index = _as_it_was(index, stream.past)
        eligible = sight_within(within)
        self.statistics = stream.counted or index.counted(visible)
        self._ranking = index.rank(terms, self.statistics, visible, eligible)
        every = self.statistics.documents
        self.worths = {
            term.token: term.weight * bm25.idf(every, index.count(term.token, visible))
            for term in terms
        }

    def ranked(self) -> Iterator[tuple[int, float]]:
        """Every record that holds any of the words, best first."""
        for batch in self._ranking.batches():
            yield from batch

    def of(self, rids: Sequence[int]) -> dict[int, Scored]:
        """What these records hold of the words, for those that hold any."""
        gains = zip(rids, self._ranking.gains(rids), strict=True)
        return {
            rid: Scored(round(sum(gained.values()), bm25.PRECISION), tuple(sorted(gained)))
            for rid, gained in gains
            if gained
        }


def sight_within(within: Within) -> Sight:
    """What of a stream may be looked at, by scope and layer."""
    layers = Grant(frozenset(layers_in(within.where)), None)
    return Sight.of(within.reach) & Sight(((layers,),))


def _as_it_was(index: WordIndex, past: Difference) -> WordIndex:
    then = (
        WordDoc(one.rid, one.record.scope, one.record.layer, tuple(_plain(one.terms.elements())))
        for one in past.documents
    )
    return index.changed(then, json.loads(past.touched))


def _document(rid: int, scope: str, layer: str, body: str) -> WordDoc:
    return WordDoc(rid, scope, layer, tuple(_plain(body.split(" "))))


def _plain(tokens: Iterable[str]) -> Iterator[str]:
    """The tokens without the number of their stream."""
    return (token.split(":", 1)[1] for token in tokens)
