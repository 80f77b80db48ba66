"""Notices kept in dictionaries: the reference for what a store does with them."""

import threading
from collections.abc import Sequence
from dataclasses import replace

from lamina import clock
from lamina.core.announcements import MOST_NOTICES, Audience, Noted, Notice, micros
from lamina.stores.bell import Bell
from lamina.stores.contents import Contents
from lamina.stores.questions import check_count


class Noting:
    """The part of a store in dictionaries that keeps notices; they are never saved."""

    _lock: threading.RLock
    _contents: Contents
    _bell: Bell

    def __init__(self) -> None:
        self._notices: list[Notice] = []
        self._last_notice = 0

    def note(self, notices: Sequence[Notice]) -> None:
        with self._lock:
            for notice in notices:
                if all(one in self._contents.entries for one in notice.records):
                    self._last_notice = max(self._last_notice + 1, micros(clock.now()))
                    self._notices.append(replace(notice, number=self._last_notice))
            del self._notices[:-MOST_NOTICES]
        self._bell.ring()

    def noted(self, audience: Audience, after: int, limit: int) -> Noted:
        check_count(limit, "limit")
        with self._lock:
            found = [notice for notice in self._notices if notice.number > after][:limit]
        heard = tuple(notice for notice in found if audience.hears(notice))
        return Noted(heard, found[-1].number if found else after)
