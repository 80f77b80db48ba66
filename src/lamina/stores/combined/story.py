"""The log of two stores as one: what is hot has streams of its own, beside those of the base."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from lamina.core.scope import hot_stream, is_hot, root_of
from lamina.errors import StoreUnavailableError
from lamina.stores.base import Page
from lamina.stores.questions import check_count

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from lamina.core.access import Reach
    from lamina.core.chain import Head
    from lamina.core.changes import Changed, Event, Version
    from lamina.core.ids import RecordId
    from lamina.stores.base import Store
    from lamina.stores.combined.hot import HotStore


class Story:
    """The part of a combined store that tells what happened."""

    _base: Store
    _hot: HotStore

    def _settled(self) -> HotStore:
        """The hot store, what was left half done brought to its end now and then."""
        raise NotImplementedError

    def versions(self, reach: Reach, record_id: RecordId) -> list[Version]:
        found = self._base.versions(reach, record_id)
        if found:
            return found
        hot = self._hot.versions(reach, record_id)
        return [replace(one, event=_marked(one.event)) for one in hot]

    def events(self, stream: str, *, after: int = 0, limit: int | None = 1000) -> list[Event]:
        if not is_hot(stream):
            return self._base.events(stream, after=after, limit=limit)
        found = self._hot.events(root_of(stream), after=after, limit=limit)
        return [_marked(event) for event in found]

    def transaction(self, tx: RecordId) -> list[Event]:
        hot = [_marked(event) for event in self._hot.transaction(tx)]
        return sorted(
            [*self._base.transaction(tx), *hot], key=lambda event: (event.stream, event.seq)
        )

    def streams(self) -> list[str]:
        return sorted({*self._base.streams(), *self._hot.streams()})

    def position(
        self, streams: Collection[str] | None = None, *, at: datetime | None = None
    ) -> dict[str, Head]:
        wanted = None if streams is None else [name for name in streams if not is_hot(name)]
        found = self._base.position(wanted, at=at)
        if at is not None:
            # What is hot has no past.
            return found
        roots = None if streams is None else {root_of(name) for name in streams}
        hot = self._hot.position(roots)
        return found | {hot_stream(name): head for name, head in hot.items()}

    def changes(self, reach: Reach, after: Mapping[str, int], limit: int) -> Page:
        check_count(limit, "limit")
        cold = {name: seq for name, seq in after.items() if not is_hot(name)}
        warm = {root_of(name): seq for name, seq in after.items() if is_hot(name)}
        fresh = self._settled().fresh(reach, warm, limit)
        first, second = self._shares(reach, cold, fresh, limit)
        pages = [
            self._base.changes(reach, cold, first) if first else Page((), {}),
            _page(self._hot.changes(reach, warm, second)) if second else Page((), {}),
        ]
        told = sorted((one for page in pages for one in page.changes), key=_order)
        return Page(tuple(told), {**pages[0].position, **pages[1].position})

    def newest_instant(self) -> datetime | None:
        found = [self._base.newest_instant()]
        with suppress(StoreUnavailableError):
            found.append(self._hot.newest_instant())
        return max((at for at in found if at is not None), default=None)

    def _shares(
        self, reach: Reach, cold: Mapping[str, int], fresh: Sequence[Event], limit: int
    ) -> tuple[int, int]:
        """How many events of each store come next, so that the older comes first."""
        if not fresh or not limit:
            return limit, 0
        page = self._base.changes(reach, cold, limit)
        read = _read(page.position, cold)
        if read + len(fresh) <= limit:
            return read, len(fresh)
        half = max(1, limit // 2)
        if read > half:
            page = self._base.changes(reach, cold, half)
            read = half
        until = max((head.at for head in page.position.values() if head.at), default=None)
        older = sum(1 for event in fresh if until is None or event.at <= until)
        if read + older <= limit:
            return read, older
        # There is more of what is hot: so much of the base as is older than the half of that.
        last = fresh[half - 1].at
        before = _read(self._base.position(page.position.keys(), at=last), cold)
        return min(before, limit - half), half


def _read(position: Mapping[str, Head], after: Mapping[str, int]) -> int:
    """How many events lie between two places; the base leaves no gaps."""
    return sum(max(0, head.seq - after.get(name, 0)) for name, head in position.items())


def _marked(event: Event) -> Event:
    return replace(event, stream=hot_stream(event.stream))


def _page(page: Page) -> Page:
    told = tuple(replace(one, event=_marked(one.event)) for one in page.changes)
    return Page(told, {hot_stream(name): head for name, head in page.position.items()})


def _order(change: Changed) -> tuple[datetime, str, int]:
    return change.event.at, change.event.stream, change.event.seq
