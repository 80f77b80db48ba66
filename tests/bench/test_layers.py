"""The benchmark of the layers gives every figure of the designs, and leaves nothing behind."""

from pathlib import Path
from typing import Any

import pytest

from lamina.bench.layers import Plan
from lamina.errors import InvalidInputError
from lamina.stores.filesystem import kind_of
from tests.bench.test_write import SPREAD, disk
from tests.bench.told import shown
from tests.surfaces.shell import caller, run

__all__ = ["disk"]

TINY = ("bench", "layers", "--episodes", "30", "--each", "4", "--facts", "40")
AIMS = {
    "NOW read": 1, "NOW update": 5, "LOG tail": 10, "LOG append": 5, "recall": 50,
    "fact save": 5, "fact get": 2, "working set": 1, "working get": 1,
    "blackboard publish": 1, "blackboard read": 1, "blackboard wakes another process": 50,
    "notebook search": 50, "experience search": 10,
}  # fmt: skip
ASKED = ("by task", "by agent and action", "rates of all")


@pytest.fixture(scope="module")
def found(disk: Path) -> dict[str, Any]:
    """What a run measured."""
    answer = run(*TINY, "--dir", str(disk), "--json")
    assert answer.status == 0, answer.err
    assert list(disk.iterdir()) == []
    measured: dict[str, Any] = answer.json
    return measured


def test_a_run_gives_every_figure_and_cleans_up(found: dict[str, Any], disk: Path) -> None:
    assert (found["bench"], found["episodes"], found["embedder"]) == ("layers", 30, "lamina")
    assert found["facts"] == 40
    assert found["filesystem"] == (kind_of(disk.resolve()) or "unknown")
    rows = found["rows"]
    assert {name: row["aim_ms"] for name, row in rows.items() if row["aim_ms"]} == AIMS
    assert set(rows) - set(AIMS) == {f"30 episodes: {asked}" for asked in ASKED}
    for name, row in rows.items():
        assert row.keys() >= SPREAD
        assert row["times"] == 4
        assert row["p50_ms"] <= row["p99_ms"] <= row["worst_ms"]
        if row["aim_ms"] is not None:
            assert row["meets_aim"] == (row["p50_ms"] <= row["aim_ms"])
        if name == "blackboard wakes another process":
            assert row["raw"] is None
        else:
            assert row["raw"].keys() == {"what", *SPREAD}
            assert row["ratio"] > 0
            assert row["cpu_p50_ms"] >= 0


def test_a_person_sees_a_table(
    found: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer = shown(found, caller(capsys, tmp_path), monkeypatch)
    assert answer.status == 0, answer.err
    for expected in ("aim\tp50\tp99", "LOG tail\t10 ms", "append to a file, synced", "by task"):
        assert expected in answer.out


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ((0, 1), "episodes"),
        ((1_000_001, 1), "episodes"),
        ((1, 0), "each"),
        ((1, 10_001), "each"),
        ((1, 1, 0), "facts"),
        ((1, 1, 100_001), "facts"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(
    tmp_path: Path, wrong: tuple[int, ...], name: str
) -> None:
    with pytest.raises(InvalidInputError, match=f"`{name}`"):
        Plan(tmp_path, *wrong)
