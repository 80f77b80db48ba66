"""Episodes and artifacts go by task and by age, when somebody says so."""

from pathlib import Path

import pytest

import lamina
from lamina import ForbiddenError, InvalidInputError, Memory
from tests.days import Day, day, whole

__all__ = ["day", "whole"]


@pytest.fixture
def web(whole: Memory) -> Memory:
    return whole.project("web")


def test_episodes_go_by_age_and_by_task(web: Memory, day: Day) -> None:
    for day.passed, task in ((0, "old"), (0, "new"), (40, "new"), (41, "other")):
        web.episode.record(task, "completed", approach="by hand")
    receipt = web.episode.prune(before="30d")
    assert receipt is not None
    assert [one.data["task"] for one in web.episode.query()] == ["other", "new"]
    assert web.episode.prune(before="30d") is None
    assert web.episode.prune(task="other", before="30d") is None
    web.episode.prune(task="other")
    assert [one.data["task"] for one in web.episode.query()] == ["new"]
    web.undo(receipt.tx)
    assert len(web.episode.query()) == 3


def test_artifacts_go_by_age_and_by_task(web: Memory, day: Day, tmp_path: Path) -> None:
    for day.passed, name in ((0, "a"), (10, "b"), (10, "c")):
        (tmp_path / name).write_text(name)
        web.artifact.register(name, task="t-2" if name == "c" else "t-1", workspace=tmp_path)
    web.artifact.prune(task="t-1", before="2026-03-05T00:00:00Z")
    assert {one.key for one in web.artifact.query()} == {"b", "c"}
    web.artifact.prune(task="t-1")
    assert [one.key for one in web.artifact.query()] == ["c"]
    day.passed = 50
    web.artifact.prune(before="30d")
    assert web.artifact.query() == []
    assert (tmp_path / "a").exists()


def test_nothing_goes_unless_something_is_named(web: Memory) -> None:
    web.episode.record("t-1", "completed")
    with pytest.raises(InvalidInputError, match="task"):
        web.episode.prune()
    with pytest.raises(InvalidInputError, match="before"):
        web.episode.prune(before="long ago")
    assert len(web.episode.query()) == 1


def test_a_clock_years_ahead_prunes_nothing(web: Memory, day: Day) -> None:
    web.episode.record("t-1", "completed")
    day.passed = 365 * 40
    assert web.episode.prune(before="30d") is None


def test_an_agent_prunes_its_own(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "store") as whole:
        finn, maya = (whole.agent(name, project="web") for name in ("finn", "maya"))
        finn.episode.record("t-1", "completed")
        maya.episode.record("t-2", "completed")
        with pytest.raises(ForbiddenError):
            finn.episode.prune(task="t-2")
        finn.episode.prune(task="t-1")
        assert [one.source for one in maya.episode.query()] == ["maya"]
