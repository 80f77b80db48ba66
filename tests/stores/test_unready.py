"""Vectors that cannot be read for now: recall goes on by words, and says so."""

from contextlib import closing
from pathlib import Path

import apsw
import pytest

import lamina as package
from lamina.stores.sqlite import nearest
from lamina.stores.sqlite.store import SqliteStore
from lamina.testing import FakeEmbedder
from lamina.testing.builders import search
from tests.stores.engines import large
from tests.stores.segmented import EAST, told
from tests.surfaces.shell import caller

__all__ = ["large"]
pytestmark = pytest.mark.usefixtures("large")
TEXTS = tuple(f"kettle number {n}" for n in range(5))


@pytest.fixture
def _few_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "_TOO_MANY", 3)


@pytest.mark.usefixtures("_few_are_read")
def test_recall_says_that_there_are_more_vectors_than_can_be_read(tmp_path: Path) -> None:
    with package.open(tmp_path, embedder=FakeEmbedder()) as mem:
        web = mem.project("web")
        web.remember_many([{"text": text} for text in TEXTS])
        mem.remember("a kettle for everyone")
        found = web.recall("kettle")
        assert {hit.record.text for hit in found.hits} == {*TEXTS, "a kettle for everyone"}
        assert [reason for reason in found.degraded if "by words alone" in reason]
        # Who indexes anew has what makes searching fast when it is done.
        mem.reindex()
        whole = web.recall("kettle")
        assert whole.degraded == ()
        assert "meaning" in whole.hits[0].parts


@pytest.mark.usefixtures("_few_are_read")
def test_a_stream_out_of_reach_is_not_spoken_of(tmp_path: Path) -> None:
    with package.open(tmp_path, embedder=FakeEmbedder()) as mem:
        mem.project("web").remember_many([{"text": text} for text in TEXTS])
        mem.agent("finn", project="app").remember("a kettle")
        mem.recall("kettle")
        assert mem.agent("finn", project="app").recall("kettle").degraded == ()


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.usefixtures("_few_are_read")
def test_the_command_line_says_so_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *, as_json: bool
) -> None:
    with package.open(tmp_path) as mem:
        mem.configure("recall.embedder", "static")
        mem.remember_many([{"text": text} for text in TEXTS])
        mem._vectors.make()
    answer = caller(capsys, tmp_path)("recall", "kettle", *(["--json"] if as_json else []))
    assert "kettle number 4" in answer.out
    told_in = answer.json["degraded"][0] if as_json else answer.err
    assert "vectors: too many are not indexed yet" in told_in


def test_lost_vectors_are_spoken_of(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path)) as store:
        told(store)
        with closing(apsw.Connection(str(tmp_path / "lamina.db"))) as other:
            other.execute("drop table vector")
        found = search(store, "kettle", vector=EAST)
        assert found.degraded
        assert {match.cosine for match in found.matches} == {None}
        assert not search(store, "kettle").degraded
