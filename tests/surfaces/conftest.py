"""The command line on a store of its own."""

from pathlib import Path

import pytest

from tests.surfaces.shell import Call, caller


@pytest.fixture
def lamina(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Call:
    """Calls `lamina` in this process."""
    return caller(capsys, tmp_path / "store")
