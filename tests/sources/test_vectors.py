"""Indexing files makes their vectors, as far as the embedder lets it."""

from pathlib import Path

import pytest

import lamina
from lamina.testing import FakeEmbedder, Fault, FaultyEmbedder
from tests.sources.trees import section, write


def many(root: Path, number: int = 60) -> None:
    """Files with a chunk each."""
    write(root, {f"f{n}.md": section(f"Part {n}", f"Says {n}") for n in range(number)})


def test_indexing_makes_the_vectors_of_what_it_wrote(tmp_path: Path) -> None:
    many(tmp_path / "tree")
    told: list[float] = []
    with lamina.open(tmp_path / "store", embedder=FakeEmbedder()) as mem:
        report = mem.index(tmp_path / "tree", on_progress=told.append)
        health = mem.vectors()
        assert (health.made, health.pending) == (60, 0)
        assert not mem.recall("part 7").degraded
    assert (report.degraded, report.scope) == ((), "global")
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_vectors_can_be_left_to_later(tmp_path: Path) -> None:
    many(tmp_path / "tree")
    with lamina.open(tmp_path / "store", embedder=FakeEmbedder()) as mem:
        mem.index(tmp_path / "tree", vectors=False)
        assert mem.vectors().pending == 60
        [note] = mem.recall("part 7").degraded
        assert "lamina reindex" in note


def test_an_embedder_that_is_down_costs_no_file(tmp_path: Path) -> None:
    many(tmp_path / "tree", 3)
    down = FaultyEmbedder(FakeEmbedder(), Fault.DOWN)
    with lamina.open(tmp_path / "store", embedder=down) as mem:
        report = mem.index(tmp_path / "tree")
        assert report.indexed == 3
        assert "down" in report.degraded[0]
    with lamina.open(tmp_path / "store", embedder=FakeEmbedder()) as mem:
        assert mem.index(tmp_path / "tree").degraded == ()
        assert mem.vectors().pending == 0


def test_who_interrupts_the_vectors_keeps_the_files(tmp_path: Path) -> None:
    many(tmp_path / "tree", 120)

    def interrupt(share: float) -> None:
        if share > 0.5:
            raise KeyboardInterrupt

    with lamina.open(tmp_path / "store", embedder=FakeEmbedder()) as mem:
        with pytest.raises(KeyboardInterrupt):
            mem.index(tmp_path / "tree", on_progress=interrupt)
        health = mem.vectors()
        assert health.made > 0
        assert health.pending > 0
        again = mem.index(tmp_path / "tree")
        assert (again.indexed, again.unchanged, mem.vectors().pending) == (0, 120, 0)
        assert not any(finding.severity.is_damage for finding in mem.check())


def test_the_report_counts_the_secrets_and_names_the_scope(tmp_path: Path) -> None:
    write(tmp_path / "tree", {"a.md": "the deploy password is tangerine-42-Lagoon"})
    with lamina.open(tmp_path / "store", embedder=FakeEmbedder()) as mem:
        report = mem.project("web").index(tmp_path / "tree")
        assert (report.sealed, report.scope) == (1, "project/web")
        assert mem.project("web").index(tmp_path / "tree").sealed == 0
