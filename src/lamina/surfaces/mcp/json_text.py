"""One member of a JSON text put in or replaced, and not a byte of the rest."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_BLANK: Final = re.compile(r"[ \t\r\n]*")
_INDENT: Final = re.compile(r"\n([ \t]+)\"")
_DECODER: Final = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Member:
    """A name in an object, and where its value stands in the text."""

    name: str
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


def _put(text: str, begin: int, path: Sequence[str], value: Any, indent: str, depth: int) -> str:
    if text[begin] != "{":
        raise InvalidInputError("something on the way to it is no JSON object")
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
        name, here = _DECODER.raw_decode(text, here)
        start = _skip(text, _skip(text, here) + 1)
        _, end = _DECODER.raw_decode(text, start)
        yield _Member(name, start, end)
        here = _skip(text, end)
        here = _skip(text, here + 1) if text[here] == "," else here


def _laid_out(value: Any, indent: str, depth: int) -> str:
    lines = json.dumps(value, ensure_ascii=False, indent=indent).splitlines()
    return ("\n" + indent * depth).join(lines)


def _check(text: str) -> None:
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"it is no plain JSON: {error!s:.120}") from None


def _skip(text: str, here: int) -> int:
    found = _BLANK.match(text, here)
    return found.end() if found else here
