"""The marks for parameters of the shared SQL, `?` and `?1`, as Postgres wants them: `$1`.

The hints to SQLite's planner that stand in it are left out on the way.
"""

import re
from functools import lru_cache
from typing import Final

_PARTS: Final = re.compile(
    r"'(?:[^']|'')*'"  # a text, which may hold a question mark
    r'|"[^"]*"'
    r"|--[^\n]*"
    r"|\?(?P<number>\d*)"
    r"|(?P<hint> not indexed\b| indexed by \w+)"
    r"|(?P<order>\bcross join\b)"
)


@lru_cache(maxsize=4096)
def translated(sql: str) -> str:
    """A statement in the words of Postgres; the same text is worked out once."""
    last = 0

    def place(found: re.Match[str]) -> str:
        nonlocal last
        if found["hint"]:
            return ""
        if found["order"]:
            return "join"
        if found["number"] is None:
            return found[0]
        # As SQLite counts: a bare mark is one more than the highest before it.
        number = int(found["number"] or last + 1)
        last = max(last, number)
        return f"${number}"

    return _PARTS.sub(place, sql)
