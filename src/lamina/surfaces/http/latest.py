"""What happened last, for who looks in: the newest first, page by page back to the beginning."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final

from fastapi import Query
from pydantic import Field

from lamina.core.changes import Changed
from lamina.core.cursor import Cursor, parse_cursor
from lamina.core.permissions import Permission
from lamina.errors import InvalidInputError
from lamina.memory import Memory
from lamina.surfaces import wire
from lamina.surfaces.http import shapes
from lamina.surfaces.http.routing import Routes
from lamina.surfaces.http.seeing import Seen
from lamina.surfaces.http.shapes import Question

ROUTES = Routes(tag="changes")
_STREAMS: Final = 20
"""In how many streams it looks at first, of those that moved last."""
_FURTHEST: Final = 10_000
"""How many events it passes over at once where none is for the handle."""


class Asked(Question):
    """How much, and behind what."""

    limit: int = Field(100, ge=1, le=500)
    before: str | None = Field(None, description="`older` of the page before; the end if missing.")


@ROUTES.add("GET", "/api/changes/latest", Permission.READ, answers=shapes.Latest)
def list_latest(memory: Seen, asked: Annotated[Asked, Query()]) -> dict[str, Any]:
    """The last changes, newest first; `cursor` is the present, from where a stream goes on."""
    present = memory.cursor()
    place = parse_cursor(present, "cursor")
    ends = place.seqs if asked.before is None else _ends(asked.before, place)
    found = _Back(memory, place, ends).page(asked.limit)
    for one in found:
        ends[one.event.stream] = min(ends[one.event.stream], one.event.seq - 1)
    places = {name: (seq, "-") for name, seq in ends.items() if seq}
    older = Cursor(place.store, place.at, places).to_text() if found and places else None
    changes = [wire.change_out(one) for one in found]
    return {"changes": changes, "cursor": present, "more": older is not None, "older": older}


def _ends(before: str, present: Cursor) -> dict[str, int]:
    """Up to where each stream is left to be told; what this handle does not see is not in it."""
    place = parse_cursor(before, "before")
    if place.store != present.store:
        raise InvalidInputError(
            "`before` belongs to another store", remedy="Use it there, or start anew without it"
        )
    return {name: min(seq, place.seq_of(name)) for name, seq in present.seqs.items()}


class _Back:
    """Reads streams backwards, from where each of them is left."""

    def __init__(self, memory: Memory, present: Cursor, ends: Mapping[str, int]) -> None:
        self._memory = memory
        self._present = present.seqs
        self._ends = {name: seq for name, seq in ends.items() if seq}

    def page(self, limit: int) -> list[Changed]:
        """The newest that are left, and none that is older than one that was not looked at."""
        heads = self._memory.store.position(self._ends.keys())
        # A stream that was read from already may hold the next one, whenever it moved last.
        begun = [one for one in heads if self._ends[one] < self._present[one]]
        rest = sorted(
            ((head.at, name) for name, head in heads.items() if name not in begun and head.at),
            reverse=True,
        )
        found: list[Changed] = [one for name in begun for one in self._last(name, limit)]
        for first in range(0, max(len(rest), 1), _STREAMS):
            found += [one for _, name in rest[first : first + _STREAMS]
                      for one in self._last(name, limit)]  # fmt: skip
            unread = rest[first + _STREAMS : first + _STREAMS + 1]
            if sure := _newer(found, unread[0][0] if unread else None):
                return sure[:limit]
        return []

    def _last(self, stream: str, limit: int) -> list[Changed]:
        """The last events of one stream that this handle sees."""
        end, step = self._ends[stream], limit
        while end:
            begin = max(0, end - step)
            after = {**self._present, stream: begin}
            if not begin:
                del after[stream]
            page = self._memory.store.changes(self._memory.reach, after, end - begin)
            found = [one for one in page.changes
                     if one.event.stream == stream and one.event.seq <= end]  # fmt: skip
            if found:
                return found
            # All of that is hidden from this handle; the next look reaches further.
            end, step = begin, min(2 * step, _FURTHEST)
        return []


def _newer(found: list[Changed], bound: datetime | None) -> list[Changed]:
    sure = [one for one in found if bound is None or one.event.at >= bound]
    return sorted(sure, key=lambda one: (one.event.at, one.event.seq), reverse=True)
