"""The marks for parameters of the shared SQL, `?` and `?1`, as Postgres wants them: `$1`.

The hints to SQLite's planner that stand in it are left out on the way. What is looked for in a
list, or in a line of versions, becomes an array, which is known before the tables are looked at: of
a list that is a table the planner thinks that it may hold anything, and reads every row to be
prepared.
"""

import re
from functools import lru_cache
from typing import Final

_PARTS: Final = re.compile(
    r"'(?:[^']|'')*'"  # a text, which may hold a question mark
    r'|"[^"]*"'
    r"|--[^\n]*"
    r"|(?P<absent>\bnot )?\bin \(select (?P<item>value|cast\(value as bigint\))"
    r" from json_each\(\?(?P<list>\d*)\)\)"
    r"|\bin \((?P<line>select vid from line\b[^()]*)\)"
    r"|\?(?P<number>\d*)"
    r"|(?P<hint> not indexed\b| indexed by \w+)"
    r"|(?P<order>\bcross join\b)"
)


@lru_cache(maxsize=4096)
def translated(sql: str) -> str:
    """A statement in the words of Postgres; the same text is worked out once."""
    last = 0

    def numbered(said: str) -> str:
        # As SQLite counts: a bare mark is one more than the highest before it.
        nonlocal last
        number = int(said or last + 1)
        last = max(last, number)
        return f"${number}"

    def place(found: re.Match[str]) -> str:
        if found["hint"]:
            return ""
        if found["order"]:
            return "join"
        if found["line"]:
            return f"= any (array({_PARTS.sub(place, found['line'])}))"
        if found["item"]:
            test, listed = "<> all" if found["absent"] else "= any", numbered(found["list"])
            return f"{test} (array(select {found['item']} from json_each({listed})))"
        return found[0] if found["number"] is None else numbered(found["number"])

    return _PARTS.sub(place, sql)
