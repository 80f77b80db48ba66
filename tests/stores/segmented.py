"""Stores whose streams count as large, so that small ones have segments, and what they answer.

Child processes by the dozen begin with this, so it does without pytest; see `engines.py`.
"""

import math
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from operator import mul
from pathlib import Path

from lamina.core.record import Record
from lamina.core.settings import BUILTIN, LANCE
from lamina.core.vectors import Embedded, Vector, packed, unpacked
from lamina.stores.base import Store
from lamina.stores.questions import Found, Search
from lamina.stores.sql import index
from lamina.stores.sql.driver import rows
from lamina.stores.sql.searching import search as find
from lamina.stores.sqlite import INDEXES, nearest, segments, words
from lamina.stores.sqlite.driver import Connection
from lamina.stores.sqlite.store import SqliteStore
from lamina.testing.builders import search, written

SPACE = "compass"
EAST = Vector(SPACE, packed((1.0, 0.0)))
ROUNDING = 0.02
"""Segments round their vectors."""
_ONE_AT_A_TIME = threading.Lock()
KIND = {BUILTIN: "vectors1", LANCE: "lance1"}
"""What the names of files with vectors begin with, by their engine."""
Answers = list[dict[str, tuple[object, ...]]]
ASKED = ("kettle", "cup record", "5", "recor", "nothing at all")


def everything_is_large() -> None:
    """Let every stream have segments, in this process."""
    for module in (words, nearest, segments):
        module.LARGE = 1  # type: ignore[attr-defined]


@contextmanager
def large_for_a_while() -> Iterator[None]:
    """Let every stream have segments, until the end of the block."""
    with _ONE_AT_A_TIME:
        before = words.LARGE
        everything_is_large()
        try:
            yield
        finally:
            for module in (words, nearest, segments):
                module.LARGE = before  # type: ignore[attr-defined]


def towards(degrees: float) -> bytes:
    """A vector that points so many degrees away from east."""
    angle = math.radians(degrees)
    return packed((math.cos(angle), math.sin(angle)))


def place(store: Store, *records: Record) -> None:
    """Give records their vectors, which follow from their texts."""
    made = [Embedded(one.id, one.rev, towards(sum(map(ord, one.text)) % 180)) for one in records]
    assert store.embed(SPACE, made) == len(records)


def told(store: Store, count: int = 8, start: int = 0) -> list[Record]:
    """Write some records, and place them."""
    things = ("kettle", "cup", "saucer")
    found = [written(store, f"{things[n % 3]} record {n}") for n in range(start, start + count)]
    place(store, *found)
    return found


def answers(store: Store) -> Answers:
    """What is found by words and by nearness, in comparable form."""
    return [_plain(search(store, words, vector=EAST, limit=200)) for words in ASKED]


def same(one: Answers, other: Answers) -> bool:
    """Whether the answers are alike; a segment rounds its vectors."""
    return all(
        list(a) == list(b)
        and all(x[:3] == y[:3] and _is_as_near(x[3], y[3])
                for x, y in zip(a.values(), b.values(), strict=True))
        for a, b in zip(one, other, strict=True)
    )  # fmt: skip


def _is_as_near(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= ROUNDING
    return one is other is None


def disagreements(store: SqliteStore, asked: Search) -> Iterator[str]:
    """Where segments answer otherwise than the tables do, in one snapshot of both."""
    with store._connections.reading() as connection:
        found = _by_files(store, connection, asked)
        words = _by_words(connection, asked)
        near = _by_nearness(connection, asked)
    ids = {match.record.id for match in found.matches}
    if ids != words.keys() | near.keys():
        yield f"{len(ids)} are found, and {len(words)} by words and {len(near)} by nearness"
    for match in found.matches:
        if (match.score, match.terms) != words.get(match.record.id, (0.0, ())):
            yield f"{match.record.id}: {match.score} {match.terms}, {words.get(match.record.id)}"
        right = near.get(match.record.id)
        if (match.cosine is None) is not (right is None) or (
            right is not None and abs((match.cosine or 0) - right) > ROUNDING
        ):
            yield f"{match.record.id} is as near as {match.cosine}, and should be {right}"


def _by_files(store: SqliteStore, connection: Connection, asked: Search) -> Found:
    while True:
        try:
            return store._found(connection, asked, store._words(connection, asked))
        except OSError:
            # A table was replaced by whoever folds.
            store._forget()


def _by_words(connection: Connection, asked: Search) -> dict[str, tuple[float, tuple[str, ...]]]:
    plain = replace(asked, vector=None)
    found = find(connection, plain, index.in_tables(connection, asked.terms), None)
    return {match.record.id: (match.score, match.terms) for match in found.matches}


def _by_nearness(connection: Connection, asked: Search) -> dict[str, float]:
    if asked.vector is None:
        return {}
    sql = (
        "select r.id, x.body from vector x join record r on r.rid = x.rid join space s"
        " on s.space = x.space where s.fingerprint = ? and x.vid = r.head and r.length > 0"
        " and x.body is not null"
    )
    query = unpacked(asked.vector.values)
    return {
        record_id: sum(map(mul, query, struct.unpack(f"<{len(body) // 2}e", body)))
        for record_id, body in rows(connection, sql, (asked.vector.space,))
    }


def files(folder: Path) -> list[Path]:
    """Everything in the folder of the indexes, tables with all their files."""
    every = sorted((folder / INDEXES).rglob("*"))
    return [path for path in every if path.is_symlink() or not path.is_dir()]


def kinds(folder: Path) -> list[str]:
    """What the segments are about."""
    return [path.name.split("-")[0] for path in files(folder) if path.parent.name == INDEXES]


def _plain(found: Found) -> dict[str, tuple[object, ...]]:
    matches = sorted(found.matches, key=lambda match: (-match.score, match.record.id))
    return {
        match.record.id: (match.score, match.terms, match.record.text, match.cosine)
        for match in matches
    }
