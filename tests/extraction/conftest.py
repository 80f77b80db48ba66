"""A project on every store in turn, and a folder with something to say."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import lamina
from lamina import Memory
from tests.places import STORES, where
from tests.sources.trees import write

NOTES = """\
# Plan

What is left before the release.

We chose SQLite over Postgres because one file is enough.

- [ ] Measure the start
- [ ] Write the guide
"""
CODE = "def run():\n    # TODO: close the file\n    return 1\n"


@pytest.fixture(params=STORES)
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    """An empty project."""
    with lamina.open(where(request.param, tmp_path / "store")) as opened:
        opened.configure("recall.embedder", "off")
        yield opened.project("web")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of two files that make five items."""
    folder = tmp_path / "tree"
    write(folder, {"plan.md": NOTES, "src/app.py": CODE, "data.json": "{}"})
    return folder
