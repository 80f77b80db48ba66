"""Notices and counts of use: beside the log, as well as can be, and never a reason to fail."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lamina import clock
from lamina.core import canonical
from lamina.core.announcements import MOST_NOTICES, Noted, Notice, from_body, micros, to_body
from lamina.core.ids import RecordId
from lamina.core.instants import from_text, to_text
from lamina.core.usage import Usage
from lamina.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from lamina.core.access import Reach
    from lamina.core.announcements import Audience
    from lamina.stores.redis.reading import Reading
    from lamina.stores.redis.server import Server


class Telemetry:
    """What is told and counted beside the records."""

    def __init__(self, server: Server, reading: Reading) -> None:
        self._server = server
        self._reading = reading

    def note(self, notices: Sequence[Notice], *, are_here: bool = True) -> None:
        """Keep notices; those on records that are elsewhere are taken as they are."""
        told: list[str] = []
        for notice in notices:
            about = notice.records if are_here else ()
            told += [str(len(about)), *about, _written(notice)]
        with suppress(StoreError):
            self._server.run("note", str(micros(clock.now())), str(MOST_NOTICES), *told)

    def noted(self, audience: Audience, after: int, limit: int) -> Noted:
        """The next notices behind a number that the audience hears."""
        if limit == 0:
            return Noted((), after)
        key = self._server.key("notices")
        [found] = self._server.ask(("XRANGE", key, f"({after}-0", "+", "COUNT", limit))
        notices = [_read(number, fields[b"n"]) for number, fields in found]
        heard = tuple(notice for notice in notices if audience.hears(notice))
        return Noted(heard, notices[-1].number if notices else after)

    def forget_notices(self) -> bool:
        """Take all notices away: a query may quote what was erased. Whether there were any."""
        [gone] = self._server.ask(("DEL", self._server.key("notices")))
        return bool(gone)

    def note_use(self, used: Mapping[RecordId, int], at: datetime, root: str) -> None:
        """Count records as having been of use."""
        counted = [part for record, hits in used.items() for part in (record, str(hits))]
        if counted:
            with suppress(StoreError):
                self._server.run("use", to_text(at), root, *counted)

    def usage(self, reach: Reach, ids: Sequence[RecordId]) -> dict[RecordId, Usage]:
        """How often those within reach were of use, and when last."""
        seen = [record.id for record in self._reading.get(reach, ids)]
        counts = self._server.ask(*(("HGETALL", self._server.key("use", one)) for one in seen))
        found: dict[RecordId, Usage] = {}
        for record, roots in zip(seen, counts, strict=True):
            for root, count in roots.items():
                if reach.knows(root.decode()):
                    hits, _, last = count.decode().partition(" ")
                    found[record] = Usage(int(hits), from_text(last)).plus(found.get(record))
        return found


def _written(notice: Notice) -> str:
    said = notice.said
    return canonical.dumps(
        [said.name, to_text(said.at), said.actor, notice.scope, notice.layer, to_body(notice)]
    )


def _read(number: bytes, text: bytes) -> Notice:
    name, at, actor, scope, layer, body = canonical.loads(text.decode(), "notice")
    said, rest = from_body(name, from_text(at), actor, body)
    by, root, records = rest
    fields: dict[str, Any] = {"by": by, "root": root, "scope": scope, "layer": layer}
    read = Notice(said=said, records=tuple(map(RecordId, records)), **fields)
    return replace(read, number=int(number.partition(b"-")[0]))
