"""Erase: remove records for good, look whether anything is left, and report."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from lamina.core import chain
from lamina.core.access import Reach
from lamina.core.ids import RecordId
from lamina.core.indexing import index_terms
from lamina.core.record import Record
from lamina.core.scope import stream_of
from lamina.core.text import query_terms
from lamina.results import Erasure
from lamina.stores.base import Search, Store
from lamina.writing import WritePath

_SHORTEST_PROBE: Final = 8
"""Shorter pieces occur everywhere by chance."""
_PROBE: Final = 24
_WORDS_PER_VERSION: Final = 4


def erase(store: Store, path: WritePath, reach: Reach, records: Sequence[Record]) -> Erasure:
    """Remove the records, then search for them and scan the store's bytes."""
    changes = [path.erase(record) for record in records]
    versions = [
        version.record
        for record in records
        for version in store.versions(reach, record.id)
        if version.record is not None
    ]
    sealed = [box for record in records for box in store.sealed(record.id)]
    path.commit(changes)
    probes = list(dict.fromkeys(probe for version in versions for probe in _probes(version)))
    probes += [box.box for box in sealed]
    report = store.scrub(probes)
    streams = {stream_of(record.scope) for record in records}
    return Erasure(
        records=tuple(record.id for record in records),
        versions=len({(version.id, version.rev) for version in versions}),
        sealed=len(sealed),
        files=report.files,
        bytes=report.bytes,
        residue=report.residue,
        unlooked=report.unlooked,
        mentions=tuple(_mentions(store, reach, records)),
        chain_verified=all(_holds(store, stream) for stream in streams),
    )


def _probes(version: Record) -> Iterator[bytes]:
    """Pieces to look for: long values are split over pages, so each is sampled, not taken whole."""
    words = sorted(set(index_terms(version, version.key)), key=len)[-_WORDS_PER_VERSION:]
    for value in (version.text, version.key or "", *version.tags, *_texts(version.data), *words):
        encoded = value.encode()
        last = max(0, len(encoded) - _PROBE)
        for start in sorted({0, last // 2, last}):
            if len(encoded) >= _SHORTEST_PROBE:
                yield encoded[start : start + _PROBE]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _mentions(store: Store, reach: Reach, records: Sequence[Record]) -> Iterator[RecordId]:
    """Records that still hold the very text of an erased one."""
    seen = set()
    for record in records:
        if len(record.text) < _SHORTEST_PROBE:
            continue
        found = store.search(Search(reach=reach, terms=query_terms(record.text), limit=20))
        for match in found:
            if record.text in match.record.text and match.record.id not in seen:
                seen.add(match.record.id)
                yield match.record.id


def _holds(store: Store, stream: str) -> bool:
    return not list(chain.verify(store.events(stream, limit=None)))
