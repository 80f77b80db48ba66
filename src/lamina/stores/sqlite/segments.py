"""The keyword index of large streams, in mapped files that are searched in milliseconds.

FTS5 holds the truth; walking its postings takes long where there are very many. A stream beyond a
size gets segments, which this process maps and follows the log from. Whoever has the duty folds
what is newer into further segments. Nothing that can be found depends on them.
"""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from lamina.core import bm25
from lamina.core.access import Grant
from lamina.core.text import Term
from lamina.indexes.file import Header
from lamina.indexes.places import EVERYWHERE, Sight
from lamina.indexes.postings import WordDoc
from lamina.indexes.word_index import Statistics, WordIndex
from lamina.indexes.words import WordSegment
from lamina.stores.sqlite.connections import Connections
from lamina.stores.sqlite.driver import Connection, one, rows
from lamina.stores.sqlite.index import LARGE, Scored, Stream
from lamina.stores.sqlite.old_words import Difference
from lamina.stores.sqlite.searching import Within, layers_in
from lamina.stores.sqlite.shelf import Shelf, edition, epoch, identity, is_unclean

TAIL: Final = 4_000
"""Documents newer than all segments at which another one is made."""
_TOO_MANY: Final = 50_000
_RATIO: Final = 4
_PAGE: Final = 5_000
_SEQ: Final = "select seq from stream where sid = ?"
_DOCUMENTS: Final = (
    "select r.rid, r.scope, r.layer, w.body from record r join word w on w.rowid = r.rid"
    " where r.sid = ? and r.rid > ? order by r.rid limit ?"
)
_TOUCHED: Final = (
    "select r.rid, r.scope, r.layer, w.body"
    " from (select distinct record from event where sid = ? and seq > ?) t"
    " join record r on r.id = t.record left join word w on w.rowid = r.rid"
)


@dataclass(frozen=True, slots=True)
class _Known:
    """What this process has of a stream."""

    index: WordIndex
    seq: int
    """How far the log was followed."""
    edition: str

    @property
    def reached(self) -> int:
        """How far the segments go."""
        return self.index.views[-1].segment.header.hi


class WordSegments:
    """The segments of one store, shared by the threads of this process."""

    def __init__(self, folder: Path) -> None:
        self._shelf: Shelf[WordSegment] = Shelf(folder, "words", WordSegment.open)
        self._lock = threading.Lock()
        self._known: dict[int, _Known] = {}

    def current(self, connection: Connection, stream: Stream) -> WordIndex | None:
        """The index of a stream up to what the connection sees; `None` where FTS5 is to answer."""
        with self._lock:
            known = self._known.get(stream.sid)
            stale = known is None or known.edition != edition(connection)
            if stale or is_unclean(connection, stream.sid, known.seq):
                known = self._opened(connection, stream.sid)
            if known is not None:
                known = _caught_up(connection, stream.sid, known)
            if known is None:
                self._known.pop(stream.sid, None)
                return None
            self._known[stream.sid] = known
            return known.index

    def is_due(self, connection: Connection) -> bool:
        """Whether folding would make searches faster."""
        return any(map(self._is_due, _large(connection)))

    def fold(self, connections: Connections, stop: Callable[[], bool]) -> None:
        """Make segments of what is newer than them, and fewer of many."""
        with connections.reading(snapshot=False) as connection:
            large = _large(connection)
        for sid in large:
            if not stop():
                self._fold_stream(connections, sid)

    def clean(self, connections: Connections) -> None:
        """Remove what was made before the last erase, and may hold what is gone."""
        with connections.reading(snapshot=False) as connection:
            self._shelf.clean(connection)

    def drop(self) -> None:
        """Remove every file and whatever was mapped: one of them is damaged."""
        with self._lock:
            self._known.clear()
            self._shelf.clear()

    def _is_due(self, sid: int) -> bool:
        known = self._known.get(sid)
        return known is None or len(known.index.overlay) >= TAIL

    def _opened(self, connection: Connection, sid: int) -> _Known | None:
        made_by = edition(connection)
        chain = self._shelf.chain(connection, sid, made_by)
        return _Known(WordIndex.of(chain), chain[-1].header.hi, made_by) if chain else None

    def _fold_stream(self, connections: Connections, sid: int) -> None:
        self.clean(connections)
        with connections.reading() as connection:
            known = self._opened(connection, sid)
            known = known and _caught_up(connection, sid, known)
            seq = int(one(connection, _SEQ, (sid,)))
            made_by = epoch(connection, sid, seq, edition(connection))
            header = Header("words", identity(connection), sid, made_by, 0, seq)
        if known is None:
            built = WordSegment.build(self._shelf.path(header), header, _every(connections, sid))
            chain = [built]
        else:
            chain = self._grown(known.index, replace(header, lo=known.reached))
        self._shelf.keep_only(sid, [segment.header for segment in chain])

    def _grown(self, index: WordIndex, header: Header) -> list[WordSegment]:
        """A segment of what is newest, joined with those before it that are not much larger."""
        chain = [view.segment for view in index.views]
        if header.lo == header.hi:
            return chain
        overlay = index.overlay
        path = self._shelf.path(header)
        chain.append(WordSegment.build(path, header, overlay.docs(), overlay.gone))
        start = joined_from([len(segment) for segment in chain])
        if start == len(chain) - 1:
            return chain
        whole = replace(header, lo=chain[start].header.lo)
        views = WordIndex.of(chain).views[start:]
        return [*chain[:start], WordSegment.merge(self._shelf.path(whole), whole, views)]


class SegmentWords:
    """One query's words in the segments of a stream."""

    def __init__(
        self, index: WordIndex, stream: Stream, terms: Sequence[Term], within: Within
    ) -> None:
        visible = EVERYWHERE if stream.sight is None else Sight.of(within.reach)
        if stream.past is not None:
            index = _as_it_was(index, stream.past)
        layers = Sight(((Grant(frozenset(layers_in(within.where)), None),),))
        eligible = Sight.of(within.reach) & layers
        counted = Statistics(stream.documents, stream.average)
        self._ranking = index.rank(terms, counted, visible, eligible)
        self.worths = {
            term.token: term.weight * bm25.idf(stream.documents, index.count(term.token, visible))
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


def joined_from(sizes: Sequence[int]) -> int:
    """Where to begin joining so that each segment left is several times the one after it."""
    start, size = len(sizes) - 1, sizes[-1]
    while start and sizes[start - 1] < _RATIO * size:
        start -= 1
        size += sizes[start]
    return start


def _caught_up(connection: Connection, sid: int, known: _Known) -> _Known | None:
    """What is known, and what happened since; `None` when that is too much to read now."""
    seq = int(one(connection, _SEQ, (sid,)))
    if seq <= known.seq:
        return known
    if seq - known.seq > _TOO_MANY:
        return None
    put, drop = [], []
    for rid, scope, layer, body in rows(connection, _TOUCHED, (sid, known.seq)):
        if body is None:
            drop.append(rid)
        else:
            put.append(_document(rid, scope, layer, body))
    return replace(known, index=known.index.changed(put, drop), seq=seq)


def _as_it_was(index: WordIndex, past: Difference) -> WordIndex:
    then = (
        WordDoc(one.rid, one.record.scope, one.record.layer, tuple(_plain(one.terms.elements())))
        for one in past.documents
    )
    return index.changed(then, json.loads(past.touched))


def _every(connections: Connections, sid: int) -> Iterator[WordDoc]:
    """All documents of a stream, in pages: what changes meanwhile is newer than the segment."""
    last = 0
    while True:
        with connections.reading(snapshot=False) as connection:
            page = list(rows(connection, _DOCUMENTS, (sid, last, _PAGE)))
        if not page:
            return
        for row in page:
            yield _document(*row)
        last = page[-1][0]


def _document(rid: int, scope: str, layer: str, body: str) -> WordDoc:
    return WordDoc(rid, scope, layer, tuple(_plain(body.split(" "))))


def _plain(tokens: Iterable[str]) -> Iterator[str]:
    """The tokens without the number of their stream."""
    return (token.split(":", 1)[1] for token in tokens)


def _large(connection: Connection) -> list[int]:
    found = rows(connection, "select sid from stream where documents >= ?", (LARGE,))
    return [sid for (sid,) in found]
