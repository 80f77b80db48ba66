"""The command line on a store of its own."""

from pathlib import Path

import pytest

import lamina as package
from tests.surfaces.shell import Call, caller


@pytest.fixture
def lamina(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Call:
    """Calls `lamina` in this process."""
    return caller(capsys, tmp_path / "store")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """The store that `lamina` works on, made and still empty."""
    folder = tmp_path / "store"
    package.open(folder).close()
    return folder
