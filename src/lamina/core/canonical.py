"""Canonical JSON: one spelling for each value, so that every store keeps the same bytes.

Keys sorted, no spaces, finite numbers, 64-bit integers, Unicode scalar values without NUL, bounded
depth and size. The check walks without recursion, because its input is what nobody has checked yet.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final, NoReturn, TypeAlias

from lamina.errors import InvalidInputError

Json: TypeAlias = Any
"""A value made of dict, list, str, int, float, bool and None."""

_ENCODER: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
)
_UNFIT: Final = re.compile(r"[\x00\ud800-\udfff]")
"""NUL and halves of characters: what no store keeps, and no model is sent."""
MAX_DEPTH: Final = 64
MAX_BYTES: Final = 1_048_576
MAX_INTEGER: Final = 2**63 - 1


def dumps(value: Json) -> str:
    """Write a checked value canonically."""
    return _ENCODER.encode(value)


def ordered(value: Mapping[str, Json]) -> dict[str, Any]:
    """The same object with its names in their canonical order, and so inside it."""
    found: dict[str, Any] = json.loads(dumps(dict(value)))
    return found


def inner(text: str) -> str:
    """A text as it stands inside a value that was written canonically, without the quotes."""
    return dumps(text)[1:-1]


def loads(text: str | bytes, argument: str) -> Json:
    """Parse JSON from outside; NaN, duplicate names and absurd nesting are refused."""
    try:
        return json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_int=_bounded,
            object_pairs_hook=_unique_names,
        )
    except RecursionError:
        raise _too_deep(argument) from None
    except InvalidInputError as error:
        raise InvalidInputError(f"`{argument}`: {error.message}", remedy=error.remedy) from None
    except ValueError as error:
        raise InvalidInputError(f"`{argument}` is not valid JSON: {error!s:.120}") from None


def check(value: Json, argument: str) -> Json:
    """Return a deep copy of `value` made of plain JSON types, or say where it is wrong."""
    _measure(value, argument)
    clean = _copy(value)
    size = len(dumps(clean).encode())
    if size > MAX_BYTES:
        raise InvalidInputError(
            f"`{argument}` takes {size:,} bytes; the limit is {MAX_BYTES:,}",
            remedy="Keep the bulk in a file and remember where it is",
        )
    return clean


def check_text(text: object, argument: str, *, limit: int = MAX_BYTES) -> str:
    """Return `text` if it is Unicode scalar values without NUL, within `limit` bytes."""
    if not isinstance(text, str):
        raise InvalidInputError(f"`{argument}` must be text, not {type(text).__name__}")
    if "\0" in text:
        raise InvalidInputError(
            f"`{argument}` holds a NUL character", remedy="Remove it; no text needs one"
        )
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise InvalidInputError(
            f"`{argument}` holds half a character (a lone surrogate) at {error.start}",
            remedy="Decode the input as UTF-8 with errors='replace' first",
        ) from None
    if size > limit:
        raise InvalidInputError(f"`{argument}` takes {size:,} bytes; the limit is {limit:,}")
    return text


def is_keepable(text: str) -> bool:
    """Whether a record can hold a text as it is."""
    return _UNFIT.search(text) is None


def keepable(text: str) -> str:
    """A text with a mark in the place of each character that no record can hold."""
    return _UNFIT.sub("\ufffd", text)


def _measure(value: Json, argument: str) -> None:
    """Check depth and every scalar before anything recursive touches the value."""
    todo: list[tuple[Json, int, str]] = [(value, 1, argument)]
    # What all that was seen takes at least; without it, shared references could grow for ever.
    least = 1
    while todo:
        item, depth, path = todo.pop()
        if isinstance(item, Mapping | list | tuple):
            if depth > MAX_DEPTH:
                raise _too_deep(argument)
            # A value and its comma, in an object also the quotes and the colon of its name.
            each = 5 if isinstance(item, Mapping) else 2
            before, room = len(todo), (MAX_BYTES - least) // each + 1
            children = islice(_children(item, path), room)
            if len(item) < room:
                todo.extend((child, depth + 1, where) for child, where in children)
            least += each * max(len(item), len(todo) - before)
            if least > MAX_BYTES:
                raise _too_large(argument)
        else:
            _check_scalar(item, path)


def _children(
    item: Mapping[Json, Json] | list[Json] | tuple[Json, ...], path: str
) -> Iterator[tuple[Json, str]]:
    if not isinstance(item, Mapping):
        yield from ((child, f"{path}[{index}]") for index, child in enumerate(item))
        return
    for name, child in item.items():
        if not isinstance(name, str):
            raise InvalidInputError(
                f"`{path}` has the name {name!r:.40}, which is not text",
                remedy="JSON objects take text as names; convert it first",
            )
        check_text(name, f"a name in {path:.80}", limit=1024)
        yield child, f"{path:.80}.{name:.40}"


def _check_scalar(item: Json, path: str) -> None:
    if item is None or isinstance(item, bool):
        return
    if isinstance(item, str):
        check_text(item, path)
    elif isinstance(item, int):
        if abs(item) > MAX_INTEGER:
            raise InvalidInputError(
                f"`{path}` is an integer beyond 64 bits", remedy="Store it as text"
            )
    elif isinstance(item, float):
        if not math.isfinite(item):
            raise InvalidInputError(
                f"`{path}` is {item}, which JSON cannot hold", remedy="Use null"
            )
    else:
        raise InvalidInputError(
            f"`{path}` is a {type(item).__name__}, which JSON cannot hold",
            remedy="Convert it to text, numbers, lists or objects",
        )


def _copy(value: Json) -> Json:
    """Plain types only: subclasses of int or dict must not outlive the call that passed them."""
    if isinstance(value, Mapping):
        return {str.__str__(name): _copy(child) for name, child in value.items()}
    if isinstance(value, list | tuple):
        return [_copy(child) for child in value]
    if value is None or isinstance(value, bool):
        return value
    # The base class is asked: a subclass could answer with something that was not checked.
    if isinstance(value, str):
        return str.__str__(value)
    return int.__int__(value) if isinstance(value, int) else float.__float__(value)


def _too_large(argument: str) -> InvalidInputError:
    return InvalidInputError(f"`{argument}` takes more than {MAX_BYTES:,} bytes")


def _too_deep(argument: str) -> InvalidInputError:
    return InvalidInputError(
        f"`{argument}` is nested deeper than {MAX_DEPTH} levels",
        remedy="Flatten it, or keep it in a file",
    )


def _bounded(digits: str) -> int:
    """Read an integer without ever converting one that is absurdly long."""
    if len(digits) > len(str(MAX_INTEGER)) + 1 or abs(int(digits)) > MAX_INTEGER:
        raise InvalidInputError("holds an integer beyond 64 bits", remedy="Store it as text")
    return int(digits)


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidInputError(f"holds {name}, which JSON cannot hold", remedy="Use null")


def _unique_names(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """Refuse duplicate names: a checker and a reader could disagree on which one counts."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidInputError("has the same name twice in one object")
    return found
