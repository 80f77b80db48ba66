"""Front matter: names with their values, as far as they are plain.

Not a reader of YAML: a scalar, a list in brackets or a list of lines is understood, and whatever
else stands there is passed over.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

_NAMED: Final = re.compile(r"([A-Za-z_][\w-]{0,63})[ \t]*[:=](?:[ \t]+(.*))?")
_ITEM: Final = re.compile(r"[ \t]*-[ \t]+(.*)")


def read_matter(lines: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """The values of each name, in lower case; the lines include those that open and close it."""
    found: dict[str, tuple[str, ...]] = {}
    name = ""
    for line in lines[1:-1]:
        if item := _ITEM.fullmatch(line):
            if name:
                found[name] += _values(item[1])
        elif named := _NAMED.fullmatch(line.rstrip()):
            name = named[1].lower()
            found[name] = _values(named[2] or "")
    return found


def _values(text: str) -> tuple[str, ...]:
    text = text.strip()
    listed = text.startswith("[") and not text.startswith("[[")
    parts = text.strip("[]").split(",") if listed else [text]
    return tuple(value for value in (part.strip().strip("\"'").strip() for part in parts) if value)
