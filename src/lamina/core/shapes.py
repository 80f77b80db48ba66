"""Python types as JSON schemas: what a model may write for a parameter, and whether it did."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Literal, Union, get_args, get_origin


@dataclass(frozen=True, slots=True)
class Shape:
    """What a value looks like."""

    schema: Mapping[str, Any]
    words: str
    """As an error says it."""
    fits: Callable[[object], bool]


def _is(*kinds: type) -> Callable[[object], bool]:
    # Python counts true as a whole number; nobody who writes JSON does.
    return lambda value: isinstance(value, kinds) and not isinstance(value, bool)


_TEXT: Final = Shape({"type": "string"}, "text", _is(str))
_OBJECT: Final = Shape({"type": "object"}, "an object", _is(dict))
_LIST: Final = Shape({"type": "array"}, "a list", _is(list))
_PLAIN: Final[Mapping[Any, Shape]] = {
    str: _TEXT,
    int: Shape({"type": "integer"}, "a whole number", _is(int)),
    float: Shape({"type": "number"}, "a number", _is(int, float)),
    bool: Shape({"type": "boolean"}, "true or false", lambda value: isinstance(value, bool)),
    list: _LIST,
    dict: _OBJECT,
    Any: Shape({}, "anything", lambda _: True),
    object: Shape({}, "anything", lambda _: True),
}
_LISTS: Final = (list, Sequence)
_OBJECTS: Final = (dict, Mapping)


def in_words(value: object) -> str:
    """A value that was refused, as an error shows it: of what is inside another, nothing.

    What stands there under the name of a secret is one, however it looks.
    """
    for shape in (_OBJECT, _LIST):
        if shape.fits(value):
            return shape.words
    return f"{value!r:.60}"


def is_optional(hint: Any) -> bool:
    """Whether a type allows None."""
    return get_origin(hint) in (Union, types.UnionType) and type(None) in get_args(hint)


def shape_of(hint: Any) -> Shape | None:
    """The shape of a type; none when JSON has no words for it."""
    if is_optional(hint):
        rest = [one for one in get_args(hint) if one is not type(None)]
        return shape_of(rest[0]) if len(rest) == 1 else None
    origin = get_origin(hint) or hint
    if origin is Literal:
        return _one_of(get_args(hint))
    if origin in _OBJECTS:
        return _OBJECT
    if origin in _LISTS:
        return _list_of(get_args(hint))
    is_known = isinstance(hint, type) and not issubclass(hint, Enum)
    return _PLAIN.get(hint) if is_known or hint is Any else None


def _one_of(values: tuple[Any, ...]) -> Shape:
    words = f"one of {', '.join(map(str, values))}"
    return Shape({"enum": list(values)}, words, lambda value: value in values)


def _list_of(items: tuple[Any, ...]) -> Shape | None:
    inner = shape_of(items[0]) if items else None
    if inner is None:
        return None if items else _LIST
    words = "a list of texts" if inner is _TEXT else f"a list, each {inner.words}"

    def fits(value: object) -> bool:
        return isinstance(value, list) and all(inner.fits(one) for one in value)

    return Shape({"type": "array", "items": dict(inner.schema)}, words, fits)
