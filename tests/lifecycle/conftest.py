"""A store of each sort, and a clock that goes on by days as told."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import lamina
from lamina import Memory, clock
from tests.places import STORES, where

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Day:
    """A clock whose day the test chooses."""

    def __init__(self) -> None:
        self.passed = 0

    def __call__(self) -> datetime:
        return START + timedelta(days=self.passed)


@pytest.fixture
def day(monkeypatch: pytest.MonkeyPatch) -> Day:
    found = Day()
    monkeypatch.setattr(clock, "now", found)
    return found


@pytest.fixture(params=STORES)
def whole(request: pytest.FixtureRequest, tmp_path: Path, day: Day) -> Iterator[Memory]:
    with lamina.open(where(request.param, tmp_path / "store")) as opened:
        opened.configure("recall.embedder", "off")
        yield opened


@pytest.fixture
def one(day: Day) -> Iterator[Memory]:
    """A store in memory, where the sort of store is not the point."""
    with lamina.open(":memory:") as opened:
        opened.configure("recall.embedder", "off")
        yield opened
