"""Searching the reference store: by words, by nearness, and what stands around a match."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache

from lamina.core import bm25
from lamina.core.access import Reach
from lamina.core.ids import RecordId
from lamina.core.indexing import index_terms
from lamina.core.layers import LAYERS, is_indexed
from lamina.core.record import Record
from lamina.core.scope import stream_of
from lamina.core.vectors import (
    Embedded,
    Progress,
    Vector,
    check_vector,
    cosine,
    sample,
    unpacked,
)
from lamina.errors import InvalidInputError
from lamina.stores.contents import Contents, Stream
from lamina.stores.questions import AROUND, MISFIT, Found, Match, Query, Search, wanted
from lamina.stores.telling import copied


@dataclass(slots=True)
class _Ranked:
    """All that one search knows, by record, in the order of creation."""

    visible: dict[RecordId, Record]
    matches: dict[RecordId, Match]
    order: dict[RecordId, int]
    chosen: dict[RecordId, None] = field(default_factory=dict)

    def take(self, best: Iterable[Match]) -> None:
        self.chosen |= dict.fromkeys(match.record.id for match in best)

    def by_words(self) -> list[Match]:
        found = [match for match in self.matches.values() if match.terms]
        return sorted(found, key=self.place)

    def place(self, match: Match) -> tuple[float, int]:
        """What puts the better by words, and the newer of equals, before the others."""
        return -match.score, -self.order[match.record.id]

    def by_nearness(self) -> list[Match]:
        found = [match for match in self.matches.values() if match.cosine is not None]
        return sorted(found, key=lambda match: (-(match.cosine or 0), -self.order[match.record.id]))

    def around(self) -> None:
        """Bring along the neighbours of what is chosen, and say who spoke before whom."""
        lines: dict[tuple[str, str], list[RecordId]] = {}
        for record in self.visible.values():
            if LAYERS[record.layer].in_order:
                lines.setdefault((record.scope, record.layer), []).append(record.id)
        best = [*self.by_words()[:AROUND], *self.by_nearness()[:AROUND]]
        chosen = {match.record.id for match in best}.intersection(self.chosen)
        for line in lines.values():
            for place, record_id in enumerate(line):
                if record_id in chosen:
                    self.chosen |= dict.fromkeys(line[max(0, place - 2) : place + 2])
            for before, after in zip(line, line[1:], strict=False):
                self.matches[after] = replace(self.matches[after], before=before)
        for record_id, match in self.matches.items():
            if match.before not in self.chosen:
                self.matches[record_id] = replace(match, before=None)


class Searching:
    """What a store in dictionaries finds. Where another store disagrees, the other is wrong."""

    _lock: threading.RLock
    _contents: Contents
    _duties: set[str]

    def search(self, search: Search) -> Found:
        asked = search.vector
        if asked is not None and self.dimensions(asked.space) not in (0, asked.dimensions):
            by_words = self.search(replace(search, vector=None))
            return replace(by_words, degraded=(*by_words.degraded, MISFIT))
        asked_for = Query(
            reach=search.reach, where=search.where, live_at=search.live_at, as_of=search.as_of
        )
        with self._lock:
            visible = {record.id: record for record in self._matching(asked_for)}
            order = {record_id: n for n, record_id in enumerate(self._contents.entries)}
            ranked = _Ranked(visible, self._matches(search, visible), order)
            near = [match.cosine for match in ranked.matches.values()]
            general = sample([one for one in near if one is not None])
            documents, worths = self._largest(search)
            best = ranked.by_words()[: search.limit]
            expired = self._expired(search, best)
        ranked.take(best)
        ranked.take(ranked.by_nearness()[: search.limit])
        if search.around:
            ranked.around()
        found = tuple(ranked.matches[one] for one in ranked.chosen)
        return Found(found, general, worths, documents, expired)

    def unembedded(self, space: str, limit: int) -> list[Record]:
        with self._lock:
            return list(self._pending(space))[:limit]

    def waits(self, space: str, reach: Reach) -> bool:
        with self._lock:
            return any(reach.sees(record) for record in self._pending(space))

    def embed(self, space: str, made: Sequence[Embedded], *, wait: bool = True) -> int:
        with self._lock:
            known = self._contents.vectors.get(space, {})
            check_alike([*known.values(), *made])
            kept = {
                one.id: one
                for one in made
                if one.id in self._contents.entries
                and self._contents.entries[one.id].newest.rev == one.rev
                and is_indexed(self._contents.entries[one.id].newest)
            }
            self._contents.vectors[space] = known | kept
            return len(kept)

    def progress(self, space: str) -> Progress:
        with self._lock:
            known = self._contents.vectors.get(space, {}).values()
            valid = [one for one in known if self._is_newest(one)]
            refused = sum(one.values is None for one in valid)
            pending = sum(1 for _ in self._pending(space))
            return Progress(len(valid) - refused, pending, refused)

    def spaces(self) -> list[str]:
        with self._lock:
            return sorted(self._contents.vectors)

    def dimensions(self, space: str) -> int:
        with self._lock:
            kept = self._contents.vectors.get(space, {}).values()
            sizes = (Vector(space, one.values).dimensions for one in kept if one.values is not None)
            return next(sizes, 0)

    def leave_space(self, space: str) -> None:
        with self._lock:
            self._contents.vectors.pop(space, None)

    def fold(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Nothing here is kept apart for speed."""

    def fold_is_due(self) -> bool:
        return False

    @contextmanager
    def duty(self, name: str) -> Iterator[bool]:
        with self._lock:
            is_free = name not in self._duties
            self._duties.add(name)
        try:
            yield is_free
        finally:
            if is_free:
                self._duties.discard(name)

    def _pending(self, space: str) -> Iterator[Record]:
        known = self._contents.vectors.get(space, {})
        for record in self._contents.records(self._contents.entries):
            made = known.get(record.id)
            if (
                is_indexed(record)
                and record.id in self._contents.streams[stream_of(record.scope)].lengths
                and (made is None or made.rev != record.rev)
            ):
                yield record

    def _is_newest(self, made: Embedded) -> bool:
        entry = self._contents.entries.get(made.id)
        return entry is not None and entry.newest.rev == made.rev and is_indexed(entry.newest)

    def _matches(self, search: Search, visible: dict[RecordId, Record]) -> dict[RecordId, Match]:
        """Every visible record with all its scores."""
        streams = self._contents.streams
        if search.as_of is not None:
            streams = _indexed(self._contents.as_of(search.as_of).values())
        near = self._nearness(search.vector)
        found = {
            one: Match(record, 0.0, (), cosine=near(record)) for one, record in visible.items()
        }
        within = search.reach.streams()
        for name, stream in streams.items():
            if within is not None and name not in within:
                continue
            seen = self._seen(search.reach, name, stream)
            worths = stream.worths(search.terms, seen)
            for record_id, (score, held) in stream.scores(search.terms, seen).items():
                if record_id in found:
                    found[record_id] = replace(
                        found[record_id],
                        score=round(score, bm25.PRECISION),
                        terms=tuple(sorted(held)),
                        coverage=bm25.coverage(held, worths),
                    )
        return found

    def _largest(self, search: Search) -> tuple[int, dict[str, float]]:
        """How many documents the largest stream shows, and what the query's terms tell there."""
        streams, within = self._contents.streams, search.reach.streams()
        if search.as_of is not None:
            streams = _indexed(self._contents.as_of(search.as_of).values())
        shown = {
            name: stream.statistics(self._seen(search.reach, name, stream)).documents
            for name, stream in sorted(streams.items())
            if within is None or name in within
        }
        name = max(shown, key=lambda name: shown[name], default="")
        if not shown.get(name):
            return 0, {}
        seen = self._seen(search.reach, name, streams[name])
        return shown[name], streams[name].worths(search.terms, seen)

    def _expired(self, search: Search, best: Sequence[Match]) -> int:
        """How many records would come before the last of the best if time stood still."""
        if search.live_at is None or search.limit == 0:
            return 0
        every = Query(reach=search.reach, where=search.where, as_of=search.as_of)
        late = {one.id: one for one in self._in_sight(every) if not one.is_live(search.live_at)}
        if not late:
            return 0
        order = {record_id: n for n, record_id in enumerate(self._contents.entries)}
        ranked = _Ranked({}, self._matches(search, late), order)
        left_out = [match for match in ranked.matches.values() if match.terms]
        if search.limit is None or len(best) < search.limit:
            return len(left_out)
        return sum(ranked.place(match) < ranked.place(best[-1]) for match in left_out)

    def _nearness(self, asked: Vector | None) -> Callable[[Record], float | None]:
        """How near records lie to what is asked."""
        if asked is None:
            return lambda record: None
        known, point = self._contents.vectors.get(asked.space, {}), unpacked(asked.values)

        def near(record: Record) -> float | None:
            made = known.get(record.id)
            if made is None or made.values is None or made.rev != record.rev:
                return None
            return cosine(point, unpacked(made.values)) if is_indexed(record) else None

        return near

    def _matching(self, query: Query) -> Iterator[Record]:
        """Visible records that match, in the order of creation."""
        return map(copied, self._in_sight(query))

    def _in_sight(self, query: Query) -> Iterator[Record]:
        """The same as they are kept: for counting, and for whatever hands none of them out."""
        contents = self._contents
        if query.as_of is None:
            return filter(wanted(query), contents.records(contents.entries))
        return filter(wanted(query), contents.as_of(query.as_of).values())

    def _seen(self, reach: Reach, name: str, stream: Stream) -> set[RecordId] | None:
        """The records of a stream's index within a reach that does not cover all of it."""
        if reach.sees_stream(name):
            return None
        covers = cache(reach.covers)
        indexed = self._contents.records(stream.lengths)
        return {record.id for record in indexed if covers(record.scope, record.layer)}


def _indexed(records: Iterable[Record]) -> dict[str, Stream]:
    """The keyword index that there would be if these records were all."""
    streams: dict[str, Stream] = {}
    for record in records:
        if is_indexed(record):
            stream = streams.setdefault(stream_of(record.scope), Stream())
            stream.add(record.id, index_terms(record, record.key))
    return streams


def check_alike(made: Sequence[Embedded]) -> None:
    """Refuse vectors that cannot lie in one space."""
    sizes = {len(check_vector(one.values)) for one in made if one.values is not None}
    if len(sizes) > 1:
        raise InvalidInputError(
            "`made` holds vectors of other dimensions than the space",
            remedy="Give the embedder another fingerprint when its vectors change",
        )
