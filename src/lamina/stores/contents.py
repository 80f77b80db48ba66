"""What an ephemeral store holds, as plain dictionaries; the JSON file store writes it out."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from lamina.core import bm25, chain
from lamina.core.changes import Event, Receipt
from lamina.core.ids import RecordId
from lamina.core.record import Record
from lamina.core.sealed import Sealed
from lamina.core.text import Term
from lamina.core.usage import Usage
from lamina.core.vectors import Embedded


@dataclass(slots=True)
class Stream:
    """One root scope: its events and its own keyword statistics."""

    events: list[Event] = field(default_factory=list)
    lengths: dict[RecordId, int] = field(default_factory=dict)
    postings: defaultdict[str, dict[RecordId, int]] = field(
        default_factory=lambda: defaultdict(dict)
    )

    def head(self, at: datetime | None = None) -> chain.Head:
        """The newest link of the chain, or the one that was newest at an instant."""
        known = self.events if at is None else [event for event in self.events if event.at <= at]
        if not known:
            return chain.Head()
        last = known[-1]
        return chain.Head(last.seq, last.hash, last.at)

    def drop(self, record_id: RecordId) -> None:
        """Take a record out of the index."""
        if self.lengths.pop(record_id, None) is not None:
            for holders in self.postings.values():
                holders.pop(record_id, None)

    def add(self, record_id: RecordId, terms: Sequence[str]) -> None:
        """Put a record into the index; one without words is not a document."""
        if terms:
            self.lengths[record_id] = len(terms)
            for token, frequency in Counter(terms).items():
                self.postings[token][record_id] = frequency

    def scores(
        self, terms: Sequence[Term], seen: Collection[RecordId] | None = None
    ) -> dict[RecordId, tuple[float, set[str]]]:
        """What each record holding any of the terms scores, and by which tokens.

        Where only some records are `seen`, the others do not exist: neither how many and how long
        they are nor what words they hold shows in a score.
        """
        postings, counted = self._postings(seen), self.statistics(seen)
        variants = _variants(postings, terms, anywhere=False) or _variants(
            postings, terms, anywhere=True
        )
        found: dict[RecordId, tuple[float, set[str]]] = {}
        for token, weight in variants[: bm25.MAX_VARIANTS]:
            holders = postings[token]
            worth = weight * bm25.idf(counted.documents, len(holders))
            for record_id, frequency in holders.items():
                score, held = found.get(record_id, (0.0, set()))
                gain = worth * bm25.part(frequency, self.lengths[record_id], counted.average)
                found[record_id] = (score + gain, held | {token})
        return found

    def worths(
        self, terms: Sequence[Term], seen: Collection[RecordId] | None = None
    ) -> dict[str, float]:
        """What each term of a query tells here."""
        postings, documents = self._postings(seen), self.statistics(seen).documents
        return {
            term.token: term.weight * bm25.idf(documents, len(postings.get(term.token, ())))
            for term in terms
        }

    def statistics(self, seen: Collection[RecordId] | None = None) -> bm25.Statistics:
        """How many documents there are, of those that can be seen, and how long they are."""
        lengths = [n for one, n in self.lengths.items() if seen is None or one in seen]
        return bm25.Statistics.of(len(lengths), sum(lengths))

    def _postings(self, seen: Collection[RecordId] | None) -> dict[str, dict[RecordId, int]]:
        if seen is None:
            return {token: holders for token, holders in self.postings.items() if holders}
        visible = (
            (token, {one: n for one, n in holders.items() if one in seen})
            for token, holders in self.postings.items()
        )
        return {token: holders for token, holders in visible if holders}


def _variants(
    postings: Mapping[str, object], terms: Sequence[Term], *, anywhere: bool
) -> list[tuple[str, float]]:
    """The index tokens that stand for the terms of a query, each with its weight."""
    found: list[tuple[str, float]] = []
    for term in terms:
        known = term.token in postings
        if known:
            found.append((term.token, term.weight))
        if known and not term.expand:
            continue
        looked = bm25.looks_inside(known=known, expand=term.expand, anywhere=anywhere)
        starting = [word for word in postings if word.startswith(term.token)]
        containing = [word for word in postings if term.token in word] if looked else []
        tried = bm25.expansions(term.token, starting, containing)
        found += [(word, term.weight * share) for word, share in tried.items()]
    return found


@dataclass(slots=True)
class Entry:
    """One record: its versions that are kept, and what is sealed in it."""

    versions: dict[int, Record] = field(default_factory=dict)
    salts: dict[int, bytes] = field(default_factory=dict)
    sealed: dict[str, Sealed] = field(default_factory=dict)

    @property
    def newest(self) -> Record:
        """The version with the highest revision."""
        return self.versions[max(self.versions)]


@dataclass(slots=True)
class Contents:
    """Everything the store holds; the JSON file store writes this out."""

    entries: dict[RecordId, Entry] = field(default_factory=dict)
    places: dict[str, RecordId] = field(default_factory=dict)
    streams: dict[str, Stream] = field(default_factory=dict)
    receipts: dict[tuple[str, str], tuple[str, Receipt]] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    tombstones: set[RecordId] = field(default_factory=set)
    vectors: dict[str, dict[RecordId, Embedded]] = field(default_factory=dict)
    """By space. They can be made again, and are not written out."""
    usage: dict[RecordId, dict[str, Usage]] = field(default_factory=dict)
    """By the root of those who asked."""

    def records(self, ids: Iterable[RecordId]) -> list[Record]:
        """The newest versions of those records that exist, in the order asked for."""
        return [self.entries[one].newest for one in ids if one in self.entries]

    def as_of(self, seqs: Mapping[str, int]) -> dict[RecordId, Record]:
        """The versions of a time in the past that are kept, in the order of creation."""
        revs = {
            event.record: event.rev
            for name, stream in self.streams.items()
            for event in stream.events[: seqs.get(name, 0)]
        }
        kept = ((one, entry.versions.get(revs.get(one, 0))) for one, entry in self.entries.items())
        return {one: record for one, record in kept if record is not None}

    def holders(self, places: Iterable[str]) -> list[Record]:
        """The current records that hold these slots."""
        return self.records(self.places[place] for place in places if place in self.places)

    def erased(self, ids: Iterable[RecordId]) -> frozenset[RecordId]:
        """Those of the ids that were erased here."""
        return frozenset(self.tombstones.intersection(ids))

    def last_instant(self, stream: str) -> datetime | None:
        """When the stream's newest event happened."""
        found = self.streams.get(stream)
        return None if found is None else found.head().at

    def newest_instant(self) -> datetime | None:
        """When the newest event of any stream happened."""
        heads = (stream.head().at for stream in self.streams.values())
        return max((at for at in heads if at is not None), default=None)

    def setting(self, name: str) -> str | None:
        """What was chosen for this store, if anything."""
        return self.settings.get(name)
