"""The log: what happened in each stream, as far back as it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.core.chain import Head
from lamina.core.changes import Action, Changed, Version
from lamina.errors import InvalidInputError
from lamina.stores.base import Page
from lamina.stores.redis.rows import US, texts, to_event, to_head

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from lamina.core.access import Reach
    from lamina.core.changes import Event
    from lamina.core.ids import RecordId
    from lamina.stores.redis.reading import Reading
    from lamina.stores.redis.rows import Kept
    from lamina.stores.redis.server import Server

_PAGE: Final = 500


class Log:
    """What happened."""

    def __init__(self, server: Server, reading: Reading) -> None:
        self._server = server
        self._reading = reading

    def events(self, stream: str, after: int, limit: int | None) -> list[Event]:
        """A stream's events behind a number, in order."""
        if limit == 0:
            return []
        most = () if limit is None else ("COUNT", limit)
        [found] = self._server.ask(self._range(stream, f"{after + 1}-0", "+", *most))
        return [to_event(stream, entry) for entry in found]

    def transaction(self, tx: RecordId) -> list[Event]:
        """The events of one commit."""
        import json

        [spans] = self._server.ask(("HGET", self._server.key("tx"), tx))
        if spans is None:
            return []
        listed = sorted(json.loads(spans))
        asked = [self._range(name, f"{first}-0", f"{last}-0") for name, first, last in listed]
        found = zip(listed, self._server.ask(*asked), strict=True)
        return [to_event(name, entry) for (name, *_), entries in found for entry in entries]

    def streams(self) -> list[str]:
        """The names of all streams."""
        return self._reading.streams_within(None)

    def position(self, streams: Collection[str] | None, at: datetime | None) -> dict[str, Head]:
        """How far streams have come, or had come at an instant."""
        heads = self._heads(streams)
        if at is None:
            return heads
        known = {name: self._as_of(name, head, at) for name, head in heads.items()}
        return {name: head for name, head in known.items() if head is not None}

    def versions(self, reach: Reach, record_id: RecordId) -> list[Version]:
        """Every event of a record that is kept, with the version it made."""
        [places] = self._server.ask(("LRANGE", self._server.key("of", record_id), 0, -1))
        named = [tuple(place.split(US)) for place in texts(places)]
        asked = [self._range(stream, f"{seq}-0", f"{seq}-0") for stream, seq in named]
        found = zip(named, self._server.ask(*asked), strict=True)
        events = [to_event(stream, entry) for (stream, _), entries in found for entry in entries]
        kept = next(self._reading.everything([record_id]), None)
        if not events or not _shows(reach, events[0], kept):
            return []
        versions = kept.versions if kept else {}
        return [Version(event, versions.get(event.rev)) for event in events]

    def fresh(self, reach: Reach, after: Mapping[str, int], limit: int) -> list[Event]:
        """The next events behind a place, oldest first, of whatever records."""
        heads = self._heads(reach.streams())
        behind = [name for name, head in sorted(heads.items()) if head.seq != after.get(name, 0)]
        found = self._fresh(behind, after, limit)
        return sorted(found, key=lambda event: (event.at, event.stream, event.seq))[:limit]

    def changes(self, reach: Reach, after: Mapping[str, int], limit: int) -> Page:
        """What happened behind a place."""
        page = self.fresh(reach, after, limit)
        ids = list(dict.fromkeys(event.record for event in page))
        known = {kept.newest.id: kept for kept in self._reading.everything(ids)}
        shown = [
            _changed(event, known.get(event.record))
            for event in page
            if _shows(reach, event, known.get(event.record))
        ]
        position = {event.stream: Head(event.seq, event.hash, event.at) for event in page}
        return Page(tuple(shown), position)

    def _fresh(self, streams: Sequence[str], after: Mapping[str, int], limit: int) -> list[Event]:
        """The next events of each stream; the one that was read last must still be there."""
        seen = [after.get(name, 0) for name in streams]
        asked = [
            self._range(name, f"{seq}-0", "+", "COUNT", limit + 1)
            for name, seq in zip(streams, seen, strict=True)
        ]
        fresh: list[Event] = []
        for name, seq, entries in zip(streams, seen, self._server.ask(*asked), strict=True):
            events = [to_event(name, entry) for entry in entries]
            if seq and (not events or events[0].seq != seq):
                raise InvalidInputError(
                    f"`after` lies in a past of `{name}` that Redis does not have any more",
                    remedy="Start anew, from where it is now: mem.cursor()",
                )
            fresh += events[1:] if seq else events[:limit]
        return fresh

    def _heads(self, streams: Iterable[str] | None) -> dict[str, Head]:
        key = self._server.key("heads")
        if streams is None:
            [found] = self._server.ask(("HGETALL", key))
            return {name.decode(): to_head(head) for name, head in found.items()}
        names = sorted(streams)
        if not names:
            return {}
        [heads] = self._server.ask(("HMGET", key, *names))
        return {name: to_head(one) for name, one in zip(names, heads, strict=True) if one}

    def _as_of(self, stream: str, head: Head, at: datetime) -> Head | None:
        if head.at is not None and head.at <= at:
            return head
        start = "+"
        while True:
            asked = ("XREVRANGE", self._server.key("log", stream), start, "-", "COUNT", _PAGE)
            [page] = self._server.ask(asked)
            for event in (to_event(stream, entry) for entry in page):
                if event.at <= at:
                    return Head(event.seq, event.hash, event.at)
            if len(page) < _PAGE:
                return None
            start = f"({page[-1][0].decode()}"

    def _range(self, stream: str, first: str, last: str, *more: Any) -> tuple[Any, ...]:
        return ("XRANGE", self._server.key("log", stream), first, last, *more)


def _shows(reach: Reach, event: Event, kept: Kept | None) -> bool:
    """What is gone has lost its scope: only sight of the whole stream shows its events."""
    return reach.sees_stream(event.stream) if kept is None else reach.sees(kept.newest)


def _changed(event: Event, kept: Kept | None) -> Changed:
    if kept is None:
        return Changed(event, None)
    older = [rev for rev in kept.versions if rev < event.rev]
    # To look at a secret takes the place of nothing.
    replaces = older and event.action is not Action.WITNESSED
    before = kept.versions[max(older)] if replaces else None
    return Changed(event, kept.versions.get(event.rev), before)
