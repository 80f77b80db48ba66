"""A store for tests in which neither place nor meaning is the point."""

from collections.abc import Iterator

import pytest

import lamina
from lamina.memory import Memory


@pytest.fixture
def mem() -> Iterator[Memory]:
    with lamina.open(":memory:") as opened:
        opened.configure("recall.embedder", "off")
        yield opened
