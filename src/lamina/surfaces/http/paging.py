"""Pages of records, newest first or by a field, by a cursor that belongs to one question.

A cursor is the record behind which the next page begins, by the field that they are ordered by and
then by id, so nothing is missed or shown twice however much is written in between.
"""

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from lamina.core.canonical import dumps, loads
from lamina.core.filters import Filter, parse, parse_order
from lamina.core.ids import is_id
from lamina.core.instants import to_text
from lamina.core.record import Record
from lamina.errors import InvalidInputError
from lamina.memory import Memory
from lamina.surfaces.wire_memory import Page

_MARK: Final = "p1"
_SORTED: Final = "p2"


def page(
    memory: Memory, where: Mapping[str, Any], limit: int, cursor: str | None, **asked: Any
) -> Page:
    """The records behind a cursor that match, newest first; `asked` goes along to the query."""
    order = asked.pop("order_by", None)
    if order is not None and order != "id":
        return _Sorted(memory, parse(where), order, asked).page(limit, cursor)
    mark = f"{zlib.crc32(dumps([dict(where), asked]).encode()):08x}"
    behind = {} if cursor is None else {"id": {"$lt": _last(cursor, mark)}}
    if behind and "id" in where:
        raise InvalidInputError("`cursor` does not go with a filter on `id`")
    found = memory.query({**where, **behind}, order_by="id", limit=limit + 1, **asked)
    more = len(found) > limit
    shown = found[:limit]
    # Nothing is behind the only page, so nobody has to count.
    total = memory.count(where, **asked) if more or cursor else len(shown)
    return Page(shown, total, f"{_MARK}.{shown[-1].id}.{mark}" if more else None)


def _last(cursor: str, mark: str) -> str:
    kind, _, rest = cursor.partition(".")
    last, _, given = rest.partition(".")
    if kind != _MARK or not is_id(last) or given != mark:
        raise _foreign(cursor)
    return last


def _foreign(cursor: str) -> InvalidInputError:
    return InvalidInputError(
        f"`cursor` is none of this question: {cursor!r:.60}",
        remedy="Pass the one from the page before, with the same parameters; or start anew",
    )


@dataclass(frozen=True, slots=True)
class _Sorted:
    """A list ordered by a field; among those with the same value, the newest comes first."""

    memory: Memory
    where: Filter
    order: str
    asked: Mapping[str, Any]

    def page(self, limit: int, cursor: str | None) -> Page:
        field, down = parse_order(self.order) or ("id", True)
        said = [[one.field, list(one.path), one.op.value, one.value]
                for one in self.where.conditions]  # fmt: skip
        mark = f"{zlib.crc32(dumps([said, self.order, dict(self.asked)]).encode()):08x}"
        behind = None if cursor is None else _read(cursor, mark)
        if behind is None:
            found = self._query({}, self.order, limit + 1)
        else:
            found = self._behind(field, down, *behind, limit + 1)
        more = len(found) > limit
        shown = found[:limit]
        if more and (behind is None or _value(shown[-1], field) != behind[0]):
            shown = self._settled(found, field, limit)
        total = self.memory.count(self.where, **self.asked) if more or cursor else len(shown)
        return Page(shown, total, _written(shown[-1], field, mark) if more else None)

    def _query(self, also: Mapping[str, Any], order: str, limit: int) -> list[Record]:
        where = self.where & parse(also)
        return self.memory.query(where, order_by=order, limit=limit, **self.asked)

    def _behind(self, field: str, down: bool, value: Any, last: str, most: int) -> list[Record]:
        """What comes behind a record: the same value, then those behind; nulls are least."""
        found = self._query({field: value, "id": {"$lt": last}}, "id", most)
        steps: list[Mapping[str, Any]] = []
        if value is not None:
            steps.append({field: {"$lt" if down else "$gt": value}})
            steps += [{field: None}] if down else []
        elif not down:
            steps.append({field: {"$ne": None}})
        for step in steps:
            room = most - len(found)
            order = "id" if step[field] is None else self.order
            found += self._query(step, order, room) if room else []
        return found

    def _settled(self, found: list[Record], field: str, limit: int) -> list[Record]:
        """A page that ends among equals in the order of ids: a store may have another there."""
        value = _value(found[limit - 1], field)
        begun = next(at for at, one in enumerate(found) if _value(one, field) == value)
        if _value(found[limit], field) == value:
            return [*found[:begun], *self._query({field: value}, "id", limit - begun)]
        same = sorted(found[begun:limit], key=lambda one: one.id, reverse=True)
        return [*found[:begun], *same]


def _value(record: Record, field: str) -> Any:
    found = getattr(record, field)
    if isinstance(found, datetime):
        return to_text(found)
    return getattr(found, "value", found)


def _written(record: Record, field: str, mark: str) -> str:
    said = dumps([_value(record, field), record.id]).encode()
    return f"{_SORTED}.{base64.urlsafe_b64encode(said).decode().rstrip('=')}.{mark}"


def _read(cursor: str, mark: str) -> tuple[Any, str]:
    kind, _, rest = cursor.partition(".")
    said, _, given = rest.partition(".")
    try:
        padded = said + "=" * (-len(said) % 4)
        value, last = loads(base64.urlsafe_b64decode(padded).decode(), "cursor")
    except (ValueError, TypeError, InvalidInputError):
        raise _foreign(cursor) from None
    if kind != _SORTED or given != mark or not isinstance(last, str) or not is_id(last):
        raise _foreign(cursor)
    return value, last
