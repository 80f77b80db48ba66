"""Erase: remove records for good, look whether anything is left, and report; or say what would."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lamina.beside import Beside
from lamina.core import canonical, chain
from lamina.core.access import Reach
from lamina.core.changes import Erase, Event
from lamina.core.filters import parse
from lamina.core.ids import RecordId
from lamina.core.indexing import index_terms
from lamina.core.record import Record, State
from lamina.core.scope import stream_of
from lamina.core.sealed import Sealed
from lamina.results import Erasure, ErasurePlan, Touched
from lamina.stores.base import ScrubReport, Store
from lamina.stores.questions import Query
from lamina.writing import WritePath

_SHORTEST_PROBE: Final = 8
"""Shorter pieces occur everywhere by chance."""
_PROBE: Final = 24
_WORDS_PER_VERSION: Final = 4
_AT_ONCE: Final = 500
_EVENTS: Final = 5_000
_SHOWN: Final = 100
_LINE: Final = 200
_TIES: Final = frozenset({"archive_id", "at", "cites", "entry", "first", "kept", "last"})


@dataclass(frozen=True, slots=True)
class _Doomed:
    """Everything that goes with some records: one answer for the preview and for the erase."""

    records: list[Record]
    changes: list[Erase]
    versions: list[Record]
    sealed: dict[RecordId, list[Sealed]]
    summaries: list[RecordId]

    @property
    def probes(self) -> list[bytes]:
        """What to look for in files, before and after."""
        spoken = dict.fromkeys(probe for version in self.versions for probe in _probes(version))
        return [*spoken, *(box.box for boxes in self.sealed.values() for box in boxes)]


def _doomed(store: Store, path: WritePath, reach: Reach, records: Sequence[Record]) -> _Doomed:
    """What an erase removes, if the principal may remove all of it."""
    records = _with_archived(store, reach, _with_copies(store, reach, records))
    summaries = _summaries(store, reach, records)
    changes = [path.erase(record) for record in records]
    versions = [
        version.record
        for record in records
        for version in store.versions(reach, record.id)
        if version.record is not None
    ]
    sealed = {record.id: store.sealed(record.id) for record in records}
    return _Doomed(records, changes, versions, sealed, summaries)


def erase(
    store: Store,
    path: WritePath,
    reach: Reach,
    records: Sequence[Record],
    beside: Beside | None = None,
) -> Erasure:
    """Remove the records, then search for them and scan the store's bytes and its files."""
    doomed = _doomed(store, path, reach, records)
    path.commit(doomed.changes)
    probes = doomed.probes
    files = beside.scrub(probes) if beside is not None else ScrubReport()
    report = store.scrub(probes)
    streams = {stream_of(record.scope) for record in doomed.records}
    return Erasure(
        records=tuple(record.id for record in doomed.records),
        versions=len({(version.id, version.rev) for version in doomed.versions}),
        sealed=sum(map(len, doomed.sealed.values())),
        files=report.files + files.files,
        bytes=report.bytes + files.bytes,
        residue=(*report.residue, *files.residue),
        unlooked=report.unlooked,
        mentions=_mentions(store, reach, doomed),
        chain_verified=all(_holds(store, stream) for stream in streams),
    )


def plan(
    store: Store,
    path: WritePath,
    reach: Reach,
    records: Sequence[Record],
    beside: Beside | None = None,
) -> ErasurePlan:
    """What `erase` would remove and what would stay; nothing is changed."""
    doomed = _doomed(store, path, reach, records)
    named = {record.id for record in records}
    counted = Counter(one for one, _ in {(one.id, one.rev) for one in doomed.versions})
    # Whose files they are, only who sees the whole store may know.
    pages = beside if path.speaker.is_owner else None
    mentions = _mentions(store, reach, doomed)
    return ErasurePlan(
        records=tuple(
            _touched(
                record,
                versions=counted[record.id],
                sealed=len(doomed.sealed[record.id]),
                why="" if record.id in named else _why(record),
            )
            for record in doomed.records
        ),
        versions=counted.total(),
        sealed=sum(map(len, doomed.sealed.values())),
        words=sum(len(set(index_terms(one, one.key))) for one in doomed.records),
        files=pages.showing(doomed.probes) if pages is not None else (),
        mentions=mentions,
        saying=tuple(map(_touched, store.get(reach, mentions[:_SHOWN]))),
        notes=tuple(sorted({*_notes(doomed.records)})),
    )


def _touched(record: Record, **counted: Any) -> Touched:
    return Touched(
        id=record.id, scope=record.scope, layer=record.layer, kind=record.kind, key=record.key,
        state=record.state.value, text=" ".join(record.text.split())[:_LINE], **counted,
    )  # fmt: skip


def _why(record: Record) -> str:
    if _is_copy(record):
        return "the copy that compaction archived"
    is_old = record.state is State.SUPERSEDED
    return "the proposal that it was accepted from" if is_old else "what compaction archived"


def _mentions(store: Store, reach: Reach, doomed: _Doomed) -> tuple[RecordId, ...]:
    """Other records that say the same or sum it up."""
    gone = {record.id for record in doomed.records}
    found = dict.fromkeys((*store.saying(reach, _tellable(doomed.versions)), *doomed.summaries))
    return tuple(one for one in found if one not in gone)


def _notes(records: Sequence[Record]) -> Iterator[str]:
    """The notes that records were imported from, as an import has marked them."""
    for record in records:
        file = record.data.get("file")
        if isinstance(record.data.get("import"), dict) and isinstance(file, str):
            yield file


def _with_copies(store: Store, reach: Reach, records: Sequence[Record]) -> list[Record]:
    """The records, and the accepted proposals that they took their content from."""
    found = {record.id: record for record in records}
    todo = list(records)
    while todo:
        earlier = todo.pop().supersedes
        if earlier is None or earlier in found:
            continue
        copies = [one for one in store.get(reach, [earlier]) if one.state is State.SUPERSEDED]
        found |= {one.id: one for one in copies}
        todo += copies
    return list(found.values())


def _with_archived(store: Store, reach: Reach, records: Sequence[Record]) -> list[Record]:
    """The records, and what compaction has copied of them or they are copies of."""
    found = {record.id: record for record in records}
    named = [RecordId(one.data["entry"]) for one in records if _is_copy(one)]
    found |= {one.id: one for one in store.get(reach, named)}
    copies = _archive(store, reach, "data.entry", list(found), kind="original")
    return list((found | {one.id: one for one in copies}).values())


def _summaries(store: Store, reach: Reach, records: Sequence[Record]) -> list[RecordId]:
    """What sums up some of the records: no rule tells how much of them it says."""
    copies = filter(_is_copy, records)
    made_of = list(dict.fromkeys(RecordId(one.data["archive_id"]) for one in copies))
    gone = {record.id for record in records}
    found = [*store.get(reach, made_of), *_archive(store, reach, "data.archive_id", made_of)]
    return [one.id for one in found if one.id not in gone and not _is_copy(one)]


def _archive(
    store: Store, reach: Reach, field: str, values: Sequence[str], **where: str
) -> Iterator[Record]:
    for start in range(0, len(values), _AT_ONCE):
        some = {field: {"$in": list(values[start : start + _AT_ONCE])}}
        layers = {"layer": {"$in": ["archive", "log", "session"]}}
        yield from store.query(Query(reach=reach, where=parse({**layers, **some, **where})))


def _is_copy(record: Record) -> bool:
    is_original = (record.layer, record.kind) == ("archive", "original")
    names = (record.data.get("entry"), record.data.get("archive_id"))
    return is_original and all(isinstance(one, str) for one in names)


def _tellable(versions: Sequence[Record]) -> list[str]:
    """What was said at such length that whoever else says it says the same thing."""
    told = (said for version in versions for said in (version.text, *_told_in_data(version)))
    return [said for said in dict.fromkeys(told) if len(said) >= _SHORTEST_PROBE]


def _told_in_data(version: Record) -> Iterator[str]:
    """The texts inside the data, less those that many records share: labels of a single word."""
    if version.layer == "source":
        # Of a chunk its headings; file and digest are what other records know of it by right.
        places = (version.data, *version.data.get("also", ()))
        yield from (place["name"] for place in places if "name" in place)
        return
    for value in _texts(_own_data(version), names=False):
        if not value.replace("-", "").replace("_", "").isalpha():
            yield value


def _own_data(version: Record) -> dict[str, Any]:
    """The data of a record, less the names and times by which compaction ties records together."""
    if "archive_id" not in version.data:
        return version.data
    return {name: value for name, value in version.data.items() if name not in _TIES}


def _probes(version: Record) -> Iterator[bytes]:
    """Pieces to look for: long values are split over pages, so each is sampled, not taken whole."""
    words = sorted(set(index_terms(version, version.key)), key=len)[-_WORDS_PER_VERSION:]
    data = _own_data(version)
    spoken = (version.text, version.key or "", *version.tags, *_texts(data), *words)
    # Inside JSON a text is written with escapes.
    written = (canonical.inner(value) for value in _texts(data))
    for value in dict.fromkeys((*spoken, *written)):
        encoded = value.encode()
        last = max(0, len(encoded) - _PROBE)
        for start in sorted({0, last // 2, last}):
            if len(encoded) >= _SHORTEST_PROBE:
                yield encoded[start : start + _PROBE]


def _texts(value: Any, *, names: bool = True) -> Iterator[str]:
    """Every text inside a value, with the names of its fields or without."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value if names else ()
        for item in value.values():
            yield from _texts(item, names=names)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, names=names)


def _holds(store: Store, stream: str) -> bool:
    return next(chain.verify(_log(store, stream)), None) is None


def _log(store: Store, stream: str) -> Iterator[Event]:
    """A stream's events, however many, a page in hand."""
    after = 0
    while page := store.events(stream, after=after, limit=_EVENTS):
        yield from page
        after = page[-1].seq
