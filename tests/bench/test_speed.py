"""The speed benchmark asks both sides the same, over the same texts, and leaves nothing behind."""

from pathlib import Path
from typing import Any

import pytest

from lamina.bench.plain import Plain, PlainFiles
from lamina.bench.speed import STEPS, Plan, sizes
from lamina.errors import InvalidInputError
from lamina.testing import FakeEmbedder
from tests.bench.test_write import disk
from tests.bench.told import shown
from tests.surfaces.shell import caller, run

__all__ = ["disk"]

SPREAD = {"p50_ms", "p99_ms", "worst_ms", "cpu_p50_ms", "cpu_p99_ms", "kinds"}
TINY = ("bench", "speed", "--steps", "40,120", "--each", "2")


@pytest.fixture(scope="module")
def plot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the growth is drawn."""
    return tmp_path_factory.mktemp("plot") / "growth.svg"


@pytest.fixture(scope="module")
def found(disk: Path, plot: Path) -> dict[str, Any]:
    """What a run measured."""
    answer = run(*TINY, "--dir", str(disk), "--plot", str(plot), "--json")
    assert answer.status == 0, answer.err
    assert list(disk.iterdir()) == []
    measured: dict[str, Any] = answer.json
    return measured


def test_a_run_gives_every_figure_and_cleans_up(found: dict[str, Any], plot: Path) -> None:
    assert (found["bench"], found["records"], found["embedder"]) == ("speed", 120, "static")
    assert [step["records"] for step in found["steps"]] == [40, 120]
    for step in found["steps"]:
        assert set(step["recall"]) == set(step["recall_in_scope"]) == SPREAD
        assert set(step["plain"]) == {*SPREAD, "content_words", "resident_mb"}
        assert len(step["recall"]["kinds"]) == 6
        assert 0 < step["recall"]["p50_ms"] <= step["recall"]["p99_ms"]
        assert step["ingest"]["found_when_acknowledged"] is True
        # So few vectors are compared one by one, by both.
        assert step["vector_recall@10"] > 0.95
        assert step["disk"]["bytes_per_record"] > 100
        assert step["single_write"]["p50_ms"] > 0
        assert step["cold"]["open_ms"] + step["cold"]["first_recall_ms"] > 0
        assert step["resident_mb"] > 10
        assert step["vectors"]["embedder_per_second"] > 0
    assert found["steps"][1]["ingest"]["records"] == 80
    assert set(found["growth"]) >= {"recall p50", "plain search p50"}
    assert set(found["following"]) == {"lamina", "static"}
    assert all(one["share"] > 0 for one in found["following"].values())
    assert plot.read_text("utf-8").startswith("<svg")


def test_a_person_sees_tables_and_the_growth(
    found: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer = shown(found, caller(capsys, tmp_path), monkeypatch)
    assert answer.status == 0, answer.err
    for expected in ("recall p50", "plain search p50", "misspelt", "Growth (ms)", "follow at"):
        assert expected in answer.out


def test_the_plain_search_finds_the_same_words_and_the_nearest(tmp_path: Path) -> None:
    files, embedder = PlainFiles(tmp_path / "plain"), FakeEmbedder()
    files.add([["the red boat", "a blue boat"], ["the green hill"]], embedder, lambda done: None)
    files.add([["red and blue paint"]], embedder, lambda done: None)
    plain = Plain(files, embedder)
    held, near = plain.ask("What of the boat?")
    assert set(held) == {0, 1, 2}
    assert near[0] in {0, 1}
    assert len(near) == 4
    assert set(plain.ask("What of the boat?", content=True)[0]) == {0, 1}
    plain.close()


def test_sizes_are_listed_or_rise_tenfold() -> None:
    assert sizes(None, "5,7") == (5, 7)
    assert sizes(1_000_000, None) == STEPS
    assert sizes(50_000, None) == (10_000, 50_000)
    assert sizes(100, None) == (100,)
    with pytest.raises(InvalidInputError, match="`steps`"):
        sizes(None, "many")


@pytest.mark.parametrize("steps", [(), (0,), (5, 5), (7, 5), (20_000_000,)])
def test_sizes_that_make_no_sense_are_refused(tmp_path: Path, steps: tuple[int, ...]) -> None:
    with pytest.raises(InvalidInputError, match="`steps`"):
        Plan(tmp_path, steps)


def test_without_an_embedder_there_is_nothing_to_compare(disk: Path) -> None:
    answer = run(*TINY, "--embedder", "off", "--dir", str(disk))
    assert answer.status != 0
    assert "--embedder" in answer.err
