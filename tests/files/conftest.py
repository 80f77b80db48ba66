"""A store of each sort with its files in a folder of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import lamina
from tests.files.desk import Desk
from tests.places import STORES, where


@pytest.fixture(params=STORES)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    with lamina.open(where(request.param, tmp_path / "store")) as opened:
        opened.configure("recall.embedder", "off")
        yield Desk(opened, tmp_path / "files")
