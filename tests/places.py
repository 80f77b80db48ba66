"""The stores that a front-door test runs on, each behind the string a user would write."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import lamina
from lamina import Memory

STORES = ("ephemeral", "json", "sqlite")


def where(kind: str, folder: Path) -> str:
    """What to pass to `lamina.open` for a store of this kind."""
    return {"ephemeral": ":memory:", "json": f"json:{folder}/m.json", "sqlite": str(folder)}[kind]


@pytest.fixture
def plain() -> Iterator[Memory]:
    """An empty memory, where neither the store nor meaning is the point."""
    with lamina.open(":memory:") as opened:
        opened.configure("recall.embedder", "off")
        yield opened


@pytest.fixture(params=STORES)
def mem(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    """An empty memory on every store in turn."""
    with lamina.open(where(request.param, tmp_path / "store")) as opened:
        yield opened
