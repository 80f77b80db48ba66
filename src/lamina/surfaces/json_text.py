"""One member of a JSON text put in, replaced or taken out, and not a byte of the rest."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina.core.canonical import is_keepable
from lamina.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_BLANK: Final = re.compile(r"[ \t\r\n]*")
_INDENT: Final = re.compile(r"\n([ \t]+)\"")
_DECODER: Final = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Member:
    """A name in an object, and where it and its value stand in the text."""

    name: str
    begin: int
    start: int
    end: int


def with_member(text: str, path: Sequence[str], value: Any) -> str:
    """A JSON text whose member at a path has this value; objects on the way are made.

    Raises:
        InvalidInputError: It is no JSON, or something on the way is no object.
    """
    whole = text if text.strip() else "{}\n"
    _check(whole)
    begin = _skip(whole, 0)
    found = _INDENT.search(whole)
    return _put(whole, begin, path, value, found[1] if found else "  ", 1)


def without_member(text: str, path: Sequence[str]) -> str:
    """A JSON text that has no member at a path; one that has none already stays as it is.

    Raises:
        InvalidInputError: It is no JSON, or something on the way is no object.
    """
    _check(text)
    return _cut(text, _skip(text, 0), path)


def _cut(text: str, begin: int, path: Sequence[str]) -> str:
    if text[begin] != "{":
        raise _no_object()
    members = list(_members(text, begin))
    name, *rest = path
    place = next((at for at, one in enumerate(members) if one.name == name), None)
    if place is None:
        return text
    gone = members[place]
    if rest:
        return _cut(text, gone.start, rest)
    if place:
        return text[: members[place - 1].end] + text[gone.end :]
    if len(members) > 1:
        return text[: gone.begin] + text[members[1].begin :]
    return text[: begin + 1] + text[_skip(text, gone.end) :]


def _no_object() -> InvalidInputError:
    return InvalidInputError("something on the way to it is no JSON object")


def _put(text: str, begin: int, path: Sequence[str], value: Any, indent: str, depth: int) -> str:
    if text[begin] != "{":
        raise _no_object()
    members = list(_members(text, begin))
    name, *rest = path
    there = next((one for one in members if one.name == name), None)
    if there is not None and rest:
        return _put(text, there.start, rest, value, indent, depth + 1)
    for inner in reversed(rest):
        value = {inner: value}
    said = _laid_out(value, indent, depth)
    if there is not None:
        is_so = json.loads(text[there.start : there.end]) == value
        return text if is_so else text[: there.start] + said + text[there.end :]
    end = members[-1].end if members else begin + 1
    comma = "," if members else ""
    tail = "" if members else "\n" + indent * (depth - 1)
    after = text[end:] if members else text[_skip(text, end) :]
    return f"{text[:end]}{comma}\n{indent * depth}{json.dumps(name)}: {said}{tail}{after}"


def _members(text: str, begin: int) -> Iterator[_Member]:
    """The members of the object that begins here; the text is known to be JSON."""
    here = _skip(text, begin + 1)
    while text[here] == '"':
        begin = here
        name, here = _DECODER.raw_decode(text, here)
        start = _skip(text, _skip(text, here) + 1)
        _, end = _DECODER.raw_decode(text, start)
        yield _Member(name, begin, start, end)
        here = _skip(text, end)
        here = _skip(text, here + 1) if text[here] == "," else here


def _laid_out(value: Any, indent: str, depth: int) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    # Half of a character that was written as an escape can only be written so.
    lines = (text if is_keepable(text) else json.dumps(value, indent=indent)).split("\n")
    return ("\n" + indent * depth).join(lines)


def _check(text: str) -> None:
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"it is no plain JSON: {error!s:.120}") from None


def _skip(text: str, here: int) -> int:
    found = _BLANK.match(text, here)
    return found.end() if found else here
