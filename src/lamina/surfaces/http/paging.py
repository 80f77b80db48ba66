"""Pages of records, newest first, by a cursor that belongs to one question.

A cursor is the id behind which the next page begins, so nothing is missed or shown twice however
much is written in between.
"""

import zlib
from collections.abc import Mapping
from typing import Any, Final

from lamina.core.canonical import dumps
from lamina.core.ids import is_id
from lamina.errors import InvalidInputError
from lamina.memory import Memory
from lamina.surfaces.wire_memory import Page

_MARK: Final = "p1"


def page(
    memory: Memory, where: Mapping[str, Any], limit: int, cursor: str | None, **asked: Any
) -> Page:
    """The records behind a cursor that match, newest first; `asked` goes along to the query."""
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
        raise InvalidInputError(
            f"`cursor` is none of this question: {cursor!r:.60}",
            remedy="Pass the one from the page before, with the same parameters; or start anew",
        )
    return last
