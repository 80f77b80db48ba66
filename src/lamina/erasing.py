"""Erase: remove records for good, look whether anything is left, and report."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from lamina.core import canonical, chain
from lamina.core.access import Reach
from lamina.core.indexing import index_terms
from lamina.core.record import Record, State
from lamina.core.scope import stream_of
from lamina.results import Erasure
from lamina.stores.base import Store
from lamina.writing import WritePath

_SHORTEST_PROBE: Final = 8
"""Shorter pieces occur everywhere by chance."""
_PROBE: Final = 24
_WORDS_PER_VERSION: Final = 4


def erase(store: Store, path: WritePath, reach: Reach, records: Sequence[Record]) -> Erasure:
    """Remove the records, then search for them and scan the store's bytes."""
    records = _with_copies(store, reach, records)
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
        mentions=tuple(store.saying(reach, _tellable(versions))),
        chain_verified=all(_holds(store, stream) for stream in streams),
    )


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


def _tellable(versions: Sequence[Record]) -> list[str]:
    """Texts long enough that whoever else says them says the same thing."""
    said = dict.fromkeys(version.text for version in versions)
    return [text for text in said if len(text) >= _SHORTEST_PROBE]


def _probes(version: Record) -> Iterator[bytes]:
    """Pieces to look for: long values are split over pages, so each is sampled, not taken whole."""
    words = sorted(set(index_terms(version, version.key)), key=len)[-_WORDS_PER_VERSION:]
    spoken = (version.text, version.key or "", *version.tags, *_texts(version.data), *words)
    # Inside JSON a text is written with escapes.
    written = (canonical.dumps(value)[1:-1] for value in _texts(version.data))
    for value in dict.fromkeys((*spoken, *written)):
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


def _holds(store: Store, stream: str) -> bool:
    return not list(chain.verify(store.events(stream, limit=None)))
