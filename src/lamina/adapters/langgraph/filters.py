"""LangGraph's filters: what of them a store decides, and what is looked at here.

`{"status": "open", "score": {"$gt": 3}, "author": {"name": "Ada"}, "author.name": "Ada"}`: all must
hold. Values compare within their JSON type, as everywhere in Lamina. A list is the same list.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from lamina.core.canonical import MAX_INTEGER, is_keepable
from lamina.core.filters import family
from lamina.errors import InvalidInputError

_COMPARISONS: Final = ("$eq", "$ne", "$gt", "$gte", "$lt", "$lte")
_DEEPEST: Final = 7
"""How many names may follow `data.value` in a filter of Lamina."""
_MOST: Final = 48
"""How many conditions are handed over; further ones are looked at here."""

_Condition = tuple[tuple[str, ...], str, Any]


class Wanted:
    """A filter, taken apart."""

    def __init__(self, asked: Mapping[str, Any] | None) -> None:
        self._conditions = list(_taken_apart(asked or {}))
        told = [one for one in self._conditions if _can_be_told(*one)][:_MOST]
        self.is_told = len(told) == len(self._conditions)
        """Whether `where` says all of it, so that what a store finds need not be looked at."""
        self.where: dict[str, dict[str, Any]] = {}
        for path, comparison, value in told:
            self.where.setdefault(".".join(("data.value", *path)), {})[comparison] = value

    def holds(self, value: Mapping[str, Any]) -> bool:
        """Whether a value satisfies the filter."""
        return all(
            any(_compare(found, comparison, wanted) for found in _at(value, path))
            for path, comparison, wanted in self._conditions
        )


def _taken_apart(asked: Mapping[str, Any], before: tuple[str, ...] = ()) -> Iterator[_Condition]:
    for name, wanted in asked.items():
        path = (*before, _checked_name(name))
        if not isinstance(wanted, Mapping):
            yield path, "$eq", wanted
        elif any(isinstance(one, str) and one.startswith("$") for one in wanted):
            for comparison, value in wanted.items():
                if comparison not in _COMPARISONS:
                    raise InvalidInputError(
                        f"`filter` uses an unknown comparison: {comparison!r:.40}",
                        remedy=f"Use one of: {', '.join(_COMPARISONS)}",
                    )
                yield path, comparison, value
        else:
            yield from _taken_apart(wanted, path)


def _checked_name(name: object) -> str:
    if isinstance(name, str) and all(name.split(".")):
        return name
    raise InvalidInputError(
        f"Invalid filter key: {name!r:.80}", remedy="Name a field, or fields joined by full stops"
    )


def _can_be_told(path: tuple[str, ...], comparison: str, value: Any) -> bool:
    # A name with a full stop may be one name or a way down; a store is only told of the one.
    if len(path) > _DEEPEST or any("." in name or not is_keepable(name) for name in path):
        return False
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, int):
        return abs(value) <= MAX_INTEGER
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, str) and is_keepable(value)


def _at(value: Any, path: tuple[str, ...]) -> Iterator[Any]:
    """What stands at a path: a name with full stops is looked for as it is, then as a way down."""
    if not path:
        yield value
        return
    name, rest = path[0], path[1:]
    inside = value if isinstance(value, Mapping) else {}
    if name in inside or "." not in name:
        yield from _at(inside.get(name), rest)
    else:
        first, _, others = name.partition(".")
        yield from _at(inside.get(first), (others, *rest))


def _compare(found: Any, comparison: str, wanted: Any) -> bool:
    if comparison == "$ne":
        return not _same(found, wanted)
    if comparison == "$eq":
        return _same(found, wanted)
    if family(found) != family(wanted) or family(found) not in ("number", "text"):
        return False
    return bool(
        {
            "$gt": found > wanted,
            "$gte": found >= wanted,
            "$lt": found < wanted,
            "$lte": found <= wanted,
        }[comparison]
    )


def _same(found: Any, wanted: Any) -> bool:
    if isinstance(found, list) and isinstance(wanted, list | tuple):
        return len(found) == len(wanted) and all(map(_same, found, wanted))
    if isinstance(found, Mapping) and isinstance(wanted, Mapping):
        return found.keys() == wanted.keys() and all(_same(found[n], wanted[n]) for n in found)
    return family(found) == family(wanted) != "other" and bool(found == wanted)
