"""The benchmark of compaction gives its figures, and leaves nothing behind."""

from pathlib import Path

import pytest

from tests.surfaces.shell import Call, caller


@pytest.fixture
def lamina(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Call:
    return caller(capsys, tmp_path / "scratch")


def test_every_figure_is_there(lamina: Call, tmp_path: Path) -> None:
    found = lamina("bench", "compaction", "--tokens", "6000", "--entries", "30", "--json").json
    session, log = found["rows"]["session"], found["rows"]["log"]
    assert session["before_tokens"] >= 6_000 > session["after_tokens"]
    assert (session["found_again"], log["found_again"], log["replaced"]) == (1, 1, 30)
    assert min(session["shrunk"], log["shrunk"]) >= 0.85
    assert list((tmp_path / "scratch").iterdir()) == []
    shown = lamina("bench", "compaction", "--tokens", "1000", "--entries", "5")
    assert "found_again" in shown.out
