"""Stores whose streams count as large, so that small ones have segments, and what they answer."""

import math
from pathlib import Path

import pytest

from lamina.core.record import Record
from lamina.core.vectors import Embedded, Vector, packed
from lamina.stores.base import Store
from lamina.stores.questions import Found
from lamina.stores.sqlite import INDEXES, index, nearest, segments
from lamina.testing.builders import search, written

SPACE = "compass"
EAST = Vector(SPACE, packed((1.0, 0.0)))
Answers = list[dict[str, tuple[object, ...]]]
ASKED = ("kettle", "cup record", "5", "recor", "nothing at all")


def everything_is_large() -> None:
    """Let every stream have segments, in this process."""
    for module in (index, nearest, segments):
        module.LARGE = 1  # type: ignore[attr-defined]


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every stream have segments, in this test."""
    for module in (index, nearest, segments):
        monkeypatch.setattr(module, "LARGE", 1)


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
        and all(x[:3] == y[:3] and x[3] == pytest.approx(y[3], abs=0.02)
                for x, y in zip(a.values(), b.values(), strict=True))
        for a, b in zip(one, other, strict=True)
    )  # fmt: skip


def files(folder: Path) -> list[Path]:
    """Everything in the folder of the indexes."""
    place = folder / INDEXES
    return sorted(place.iterdir()) if place.is_dir() else []


def kinds(folder: Path) -> list[str]:
    """What the segments are about."""
    return [path.name.split("-")[0] for path in files(folder)]


def _plain(found: Found) -> dict[str, tuple[object, ...]]:
    matches = sorted(found.matches, key=lambda match: (-match.score, match.record.id))
    return {
        match.record.id: (match.score, match.terms, match.record.text, match.cosine)
        for match in matches
    }
