"""The log as somebody may know it who does not see all of it.

How far a stream has come, and that its chain holds, is known to whoever sees any of it: cursors say
so. Which records changed, and by whom, is known of what lies within reach.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from lamina.core.access import EVERYTHING
from lamina.core.announcements import Noted
from lamina.core.changes import Action
from lamina.core.ids import RecordId
from lamina.core.scope import GLOBAL, root_of
from lamina.core.settings import READS, in_force
from lamina.errors import ForbiddenError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from lamina.core.access import Reach
    from lamina.core.announcements import Audience
    from lamina.core.chain import Head
    from lamina.core.changes import Event
    from lamina.stores.base import Finding, Store

_MOST: Final = 10_000


class Veil:
    """The log of a store behind a reach."""

    def __init__(self, store: Store, reach: Reach) -> None:
        self._store = store
        self._reach = reach

    def events(self, stream: str, after: int, limit: int | None) -> list[Event]:
        """The events of a stream; where it does not lie open as a whole, their hashes alone."""
        if not self._knows(stream):
            return []
        found = self._store.events(stream, after=after, limit=limit)
        known = self._known(found) if self._reach.sees_stream(stream) else frozenset()
        return [one if one.record in known else _veiled(one) for one in found]

    def transaction(self, tx: RecordId) -> list[Event]:
        """The events of a commit; it does not exist for those who see nothing of it."""
        found = self._store.transaction(tx)
        known = self._known(found)
        if not known:
            return []
        return [one if one.record in known else _veiled(one) for one in found]

    def _known(self, events: Sequence[Event]) -> frozenset[RecordId]:
        """The records in sight, and those that are erased from a stream which lies open."""
        ids = list(dict.fromkeys(event.record for event in events))
        if self._reach == EVERYTHING:
            return frozenset(ids)
        there = {record.id for record in self._store.get(EVERYTHING, ids)}
        seen = {record.id for record in self._store.get(self._reach, ids)}
        open_to = {one.record for one in events if self._reach.sees_stream(one.stream)}
        return frozenset(seen | (open_to - there))

    def streams(self) -> list[str]:
        """The streams that can hold anything visible."""
        return [name for name in self._store.streams() if self._knows(name)]

    def position(
        self, streams: Collection[str] | None, at: datetime | None = None
    ) -> dict[str, Head]:
        """How far those of the streams have come that can hold anything visible."""
        mine = self._reach.streams()
        if mine is None or streams is None:
            wanted = mine if streams is None else streams
        else:
            wanted = frozenset(name for name in streams if root_of(name) in mine)
        return self._store.position(wanted, at=at)

    def newest_instant(self) -> datetime | None:
        """When the newest event happened in these streams."""
        if self._reach.streams() is None:
            return self._store.newest_instant()
        return max((one.at for one in self.position(None).values() if one.at), default=None)

    def pulse(self) -> int:
        """A number that differs when these streams have moved.

        Where reads are announced, it also moves with what others do: they are in no stream.
        """
        announced = in_force(self._store.settings(), READS) == "on"
        if self._reach.streams() is None or announced:
            return self._store.pulse()
        heads = sorted((name, head.seq, head.hash) for name, head in self.position(None).items())
        return int.from_bytes(hashlib.sha256(repr(heads).encode()).digest()[:6])

    def audit(self, streams: Collection[str] | None) -> list[Finding]:
        """Whether the log of streams is whole that lie open as a whole."""
        wanted = (self._reach.streams() or (GLOBAL.path,)) if streams is None else streams
        if not all(map(self._reach.sees_stream, wanted)):
            raise ForbiddenError(
                "a log is audited by those who see all of its stream",
                remedy="Use the key of an admin or orchestrator of that project",
            )
        return self._store.audit(streams)

    def noted(self, audience: Audience, after: int, limit: int) -> Noted:
        """The next notices that the audience hears; numbers of others' are not told."""
        wanted, seen = min(max(limit, 1), _MOST), after
        while True:
            found = self._store.noted(audience, seen, wanted)
            if found.notices:
                return Noted(found.notices, found.notices[-1].number)
            if found.last == seen:
                return Noted((), after)
            seen = found.last

    def _knows(self, stream: str) -> bool:
        mine = self._reach.streams()
        return mine is None or root_of(stream) in mine


def _veiled(event: Event) -> Event:
    """An event without what it is about."""
    nothing = RecordId("")
    return replace(
        event, tx=nothing, record=nothing, rev=0, action=Action.UNCHANGED, actor="", surface="",
        digest="",
    )  # fmt: skip
