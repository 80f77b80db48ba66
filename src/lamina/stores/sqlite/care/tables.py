"""The schema: the tables, indexes and views that the migrations make, and no others."""

from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Final

from lamina.stores.base import Finding
from lamina.stores.sql.care.looking import Look, damaged, derived, note
from lamina.stores.sql.driver import Connection, one, rows
from lamina.stores.sqlite import formats, migrations
from lamina.stores.sqlite.driver import connect

_SCHEMA: Final = (
    "select type, name, sql from sqlite_schema where name not like 'sqlite\\_%' escape '\\'"
)
WORDS: Final = ("word", "word_posting", "word_count", "word_data", "word_idx", "word_content",
                "word_docsize", "word_config")  # fmt: skip
"""The tables of the keyword index; FTS5 makes most of them itself."""
VECTORS: Final = ("vector", "space")
"""What embedders made of the records, and can make again; the first refers to the second."""
LOSABLE: Final = (*VECTORS, "usage")
"""Without these the store works on: vectors are made again, and counts of use begin again."""
RECORD_TABLES: Final = (
    "stream", "record", "version", "event", "receipt", "sealed", "setting", "telemetry",
    "space", "vector", "usage",
)  # fmt: skip
"""The tables that hold what nothing else does, in an order in which they can be filled."""


@cache
def expected(number: int = formats.NEWEST) -> dict[tuple[str, str], str]:
    """What a store of a format is made of: SQL by kind and name."""
    with closing(connect(Path(":memory:"), create=True)) as connection:
        for sql in migrations.steps()[:number]:
            connection.execute(sql)
        return found(connection)


def found(connection: Connection) -> dict[tuple[str, str], str]:
    """What the file is made of."""
    return {(kind, name): sql for kind, name, sql in rows(connection, _SCHEMA)}


def quoted(name: str) -> str:
    """A name as SQL takes it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def is_derived(kind: str, name: str) -> bool:
    """Whether it can be made again without losing anything that matters."""
    return kind != "table" or name in WORDS or name in LOSABLE


def schema(look: Look) -> Iterator[Finding]:
    """What is missing, changed, or not ours."""
    here = found(look.connection)
    wanted = expected(int(one(look.connection, "pragma user_version")))
    for (kind, name), sql in wanted.items():
        if here.get((kind, name)) == sql:
            continue
        what = f"the {kind} `{name}` is {'altered' if (kind, name) in here else 'missing'}"
        tell = derived if is_derived(kind, name) else damaged
        yield tell("schema", what, "the program")
    for kind, name in here.keys() - wanted.keys():
        what = f"the {kind} `{name:.60}` is not Lamina's"
        if kind == "table":
            yield note("schema", what, "Nothing to do if somebody put it there on purpose")
        else:
            yield derived("schema", what, "the program")
