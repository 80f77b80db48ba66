"""What this process holds of the index, kept up by reading the log: searching happens here.

A hot tier is small, and the reference for searching is pure Python. So the words and vectors of the
streams that were ever searched stay in memory, and a search costs one look for what is new. One
that nobody asks about is never loaded.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from lamina import clock
from lamina.core.ids import RecordId
from lamina.core.layers import is_indexed
from lamina.core.scope import stream_of
from lamina.core.vectors import Embedded
from lamina.stores.contents import Contents, Entry, Stream
from lamina.stores.forking import renew_in_children
from lamina.stores.redis.rows import to_event, to_record, to_terms
from lamina.stores.searching import Searching

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from lamina.stores.redis.reading import Reading
    from lamina.stores.redis.server import Server

_PAGE: Final = 1000


class Mirror(Searching):
    """The indexed records of some streams, with their words and vectors."""

    def __init__(self, server: Server, reading: Reading) -> None:
        self._server = server
        self._reading = reading
        self.renew()
        renew_in_children(self)

    def renew(self) -> None:
        """Begin with nothing, held by nobody."""
        self._lock = threading.RLock()
        self._begin()

    def _begin(self) -> None:
        self._contents = Contents()
        self._heads: dict[str, bytes | None] = {}
        """For each stream, how far it has been read."""
        self._order: dict[RecordId, int] = {}
        self._ends: dict[RecordId, datetime] = {}
        self._placed: dict[str, float] = {}
        """For each space, the number of the last vector that was read."""
        self._sizes: dict[str, int] = {}
        self._epoch: list[bytes | None] = []
        """What is another one when everything has to be read again."""

    def refresh(self, streams: Collection[str] | None, space: str | None = None) -> None:
        """Take over what is new in some streams, or in all, and the vectors of a space."""
        key = self._server.key
        with self._lock:
            asked, spaces, *epoch = self._server.ask(
                ("HGETALL", key("heads")) if streams is None
                else ("HMGET", key("heads"), *sorted(streams), ""),
                ("HGETALL", key("spaces")),
                ("GET", key("anew")),
                ("HGET", key("meta"), "boot"),
            )  # fmt: skip
            if epoch != self._epoch:
                self._begin()
                self._epoch = epoch
            self._sizes = {name.decode(): int(size) for name, size in spaces.items()}
            if streams is None:
                heads = {name.decode(): head for name, head in asked.items()}
            else:
                heads = dict(zip(sorted(streams), asked, strict=False))
            moved = {name: head for name, head in heads.items() if self._heads.get(name) != head}
            changed = [one for name in moved for one in self._changed(name)]
            self._take(changed)
            self._heads |= moved
            self._drop_what_ran_out()
            self._take_vectors(space, changed)

    def dimensions(self, space: str) -> int:
        return self._sizes.get(space, 0)

    def spaces(self) -> list[str]:
        return sorted(self._sizes)

    def _changed(self, stream: str) -> list[str]:
        """The records of a stream that are not as they were when it was last read."""
        known = self._heads.get(stream)
        if known is not None:
            log, last = self._server.key("log", stream), known.partition(b"\x1f")[0].decode()
            found, start = [], f"{last}-0"
            while True:
                [page] = self._server.ask(("XRANGE", log, start, "+", "COUNT", _PAGE))
                found += [to_event(stream, entry) for entry in page]
                if len(page) < _PAGE:
                    break
                start = f"({page[-1][0].decode()}"
            if found and str(found[0].seq) == last:
                return list(dict.fromkeys(event.record for event in found[1:]))
        # Never read, or so long ago that the log does not go back so far.
        for one in [one for one in self._order if self._is_in(one, stream)]:
            self._drop(one)
        self._contents.streams[stream] = Stream()
        return self._reading.indexed_ids(stream)

    def _is_in(self, record_id: RecordId, stream: str) -> bool:
        return stream_of(self._contents.entries[record_id].newest.scope) == stream

    def _take(self, ids: Iterable[str]) -> None:
        wanted = list(dict.fromkeys(ids))
        in_order = True
        last = max(self._order.values(), default=0)
        for record_id, found in zip(wanted, self._server.read("index", wanted), strict=True):
            one = RecordId(record_id)
            number = self._order.get(one)
            self._drop(one, stays=found is not None)
            if found is None or not found[2]:
                self._drop(one)
                continue
            record = to_record(found[1])
            if not is_indexed(record):
                self._drop(one)
                continue
            self._contents.entries[one] = Entry({record.rev: record})
            stream = self._contents.streams.setdefault(stream_of(record.scope), Stream())
            stream.add(one, to_terms(found[2]))
            self._order[one] = int(found[0])
            in_order = in_order and (number is not None or int(found[0]) > last)
            last = max(last, int(found[0]))
            if record.expires_at is not None:
                self._ends[one] = record.expires_at
        if not in_order:
            entries = self._contents.entries
            self._contents.entries = {one: entries[one] for one in sorted(entries, key=self._place)}

    def _place(self, record_id: RecordId) -> int:
        return self._order[record_id]

    def _drop(self, record_id: RecordId, *, stays: bool = False) -> None:
        """Take a record out of the index, and all else that is known of it unless it stays."""
        entry = self._contents.entries.get(record_id)
        if entry is None:
            return
        self._contents.streams[stream_of(entry.newest.scope)].drop(record_id)
        self._ends.pop(record_id, None)
        if not stays:
            del self._contents.entries[record_id], self._order[record_id]
            for made in self._contents.vectors.values():
                made.pop(record_id, None)

    def _drop_what_ran_out(self) -> None:
        now = clock.now()
        for one in [one for one, end in self._ends.items() if end <= now]:
            self._drop(one)

    def _take_vectors(self, space: str | None, changed: Iterable[str]) -> None:
        """Take over vectors of a space that are new, or of records that are."""
        if space is None:
            return
        if space not in self._sizes:
            self._contents.vectors.pop(space, None)
            self._placed.pop(space, None)
            return
        if space not in self._placed:
            changed = list(self._contents.entries)
        [placed] = self._server.ask(
            ("ZRANGEBYSCORE", self._server.key("placed", space),
             f"({self._placed.get(space, 0):.0f}", "+inf", "WITHSCORES")
        )  # fmt: skip
        self._placed[space] = max(
            (score for _, score in placed), default=self._placed.get(space, 0)
        )
        wanted = dict.fromkeys([*changed, *(one.decode() for one, _ in placed)])
        here = [one for one in wanted if RecordId(one) in self._contents.entries]
        known = self._contents.vectors.setdefault(space, {})
        for start in range(0, len(here), _PAGE):
            some = here[start : start + _PAGE]
            [found] = self._server.ask(("HMGET", self._server.key("vector", space), *some))
            for one, value in zip(some, found, strict=True):
                if value is not None:
                    rev, _, values = value.partition(b":")
                    made = Embedded(RecordId(one), int(rev), values or None)
                    known[made.id] = made
