"""Ids that stand in a file, one a line."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TextIO

from lamina.surfaces.cli.exchange import naming

if TYPE_CHECKING:
    from lamina.core.ids import RecordId
    from lamina.memory import Memory

_AT_ONCE: Final = 500


def read_ids(file: str) -> "list[RecordId]":
    """The ids in a file, each once; a line that is none refuses them all."""
    from lamina.core.ids import RecordId, is_id
    from lamina.errors import InvalidInputError

    found = dict[RecordId, None]()
    with naming(file, "read"), _opened(file) as lines:
        for number, line in enumerate(lines, start=1):
            said = line.strip()
            if said and not is_id(said):
                raise InvalidInputError(
                    f"line {number} of {file:.200} is no id: {said!r:.60}",
                    remedy="Write one id on each line, and nothing else",
                )
            if said:
                found[RecordId(said)] = None
    return list(found)


def missing(memory: "Memory", ids: "Sequence[RecordId]") -> "set[RecordId]":
    """Those of the ids that nothing has which the handle sees, in whatever state."""
    from lamina.core.record import State

    gone = set(ids)
    for start in range(0, len(ids), _AT_ONCE):
        some = list(ids[start : start + _AT_ONCE])
        where = {"id": {"$in": some}, "state": {"$in": [state.value for state in State]}}
        gone.difference_update(one.id for one in memory.query(where, limit=_AT_ONCE))
    return gone


@contextmanager
def _opened(file: str) -> Iterator[TextIO]:
    if file == "-":
        yield sys.stdin
    else:
        with open(file, encoding="utf-8", errors="replace") as lines:
            yield lines
