"""A clock that goes on by whole days, as a test tells it, and stores that go by it."""

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
    """The clock of this test."""
    found = Day()
    monkeypatch.setattr(clock, "now", found)
    return found


@pytest.fixture(params=STORES)
def whole(request: pytest.FixtureRequest, tmp_path: Path, day: Day) -> Iterator[Memory]:
    """An empty memory on every store in turn, without meaning."""
    with lamina.open(where(request.param, tmp_path / "store")) as opened:
        opened.configure("recall.embedder", "off")
        yield opened
