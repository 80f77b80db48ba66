"""What a class of damage is, and the tools that plant it behind Lamina's back."""

import random
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TypeAlias

from lamina.stores.sql.driver import rows
from lamina.stores.sqlite import DATABASE
from lamina.stores.sqlite.driver import Connection, connect

PAGE = 4096

Plant: TypeAlias = Callable[[Path, random.Random], None]


class Side(Enum):
    """What must become of a class of damage."""

    DERIVED = "derived"
    """It is found, the records are named as the truth, and a repair leaves no trace of it."""
    RECORD = "record"
    """It is found, and a repair leaves the records as they are."""
    EITHER = "either"
    """Bytes that may belong to anything: found for what it is, or without any consequence."""
    NOTED = "noted"
    """It is told but not called damage, because it may well be as it should."""
    HARMLESS = "harmless"
    """Nothing is lost, so nothing may be called damaged."""
    ANCHORED = "anchored"
    """Nothing inside the file can show it; an anchor kept elsewhere does."""
    UNSEEN = "unseen"
    """Nothing at all can show it."""


@dataclass(frozen=True)
class Damage:
    """One way in which a store can be damaged."""

    name: str
    side: Side
    plant: Plant
    """Takes a folder with a closed store, and its own chance."""
    says: tuple[str, ...] = ()
    """The checks of which one must speak up; any, if none is named."""


@contextmanager
def raw(folder: Path) -> Iterator[Connection]:
    """The database as any program with SQL sees it, and with nothing in the way."""
    with closing(connect(folder / DATABASE, create=False)) as connection:
        connection.execute("pragma foreign_keys = off")
        yield connection


def pick(connection: Connection, chance: random.Random, sql: str) -> tuple[Any, ...]:
    """One of the rows that a statement returns; there must be some."""
    return chance.choice(sorted(rows(connection, sql)))


def by_sql(which: str, *statements: str) -> Plant:
    """Run statements, in which `?1` stands for something that `which` offers."""

    def plant(folder: Path, chance: random.Random) -> None:
        with raw(folder) as connection:
            chosen = pick(connection, chance, which)
            for statement in statements:
                connection.execute(statement, chosen if "?1" in statement else ())

    return plant


def at_once(*statements: str) -> Plant:
    """Run statements."""
    return by_sql("select 1", *statements)


def without_index(name: str, plant: Plant) -> Plant:
    """Plant while an index is away that would refuse it or follow it."""

    def planted(folder: Path, chance: random.Random) -> None:
        with raw(folder) as connection:
            [(sql,)] = rows(connection, "select sql from sqlite_schema where name = ?", (name,))
            connection.execute(f"drop index {name}")
        plant(folder, chance)
        with raw(folder) as connection:
            connection.execute(sql)

    return planted


def flip(path: Path, at: int, chance: random.Random) -> None:
    """Turn one bit of a byte around."""
    with path.open("r+b") as file:
        file.seek(at)
        [byte] = file.read(1)
        file.seek(at)
        file.write(bytes([byte ^ (1 << chance.randrange(8))]))
