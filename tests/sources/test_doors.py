"""Indexing writes layer `source`, and nothing else does."""

from pathlib import Path

import pytest

import lamina
from lamina.core.principal import Surface
from lamina.errors import ForbiddenError, NotFoundError
from lamina.memory import Memory
from tests.sources.trees import section, texts, write


@pytest.fixture
def mem(tmp_path: Path) -> Memory:
    return lamina.open(tmp_path / "store")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "tree", {"a.md": section("A", "The codeword is marmalade-sky")})
    return tmp_path / "tree"


def test_nobody_remembers_or_edits_a_chunk(mem: Memory, root: Path) -> None:
    web = mem.project("web")
    web.index(root)
    for handle in (mem, web, mem.agent("bob", project="web", role="orchestrator")):
        with pytest.raises(ForbiddenError):
            handle.remember("not from a file", layer="source", scope="project/web")
        with pytest.raises(ForbiddenError):
            handle.edit("tree/a.md#A~1", "not from a file")


@pytest.mark.parametrize("role", ["agent", "orchestrator", "skill", "reader"])
def test_only_an_admin_indexes(mem: Memory, root: Path, role: str) -> None:
    handle = mem.agent("bob", project="web", role=role)
    with pytest.raises(ForbiddenError):
        handle.index(root)
    with pytest.raises(ForbiddenError):
        handle.path_for(Surface.PIPELINE)


def test_a_project_indexes_into_itself_alone(mem: Memory, root: Path) -> None:
    with pytest.raises(ForbiddenError):
        mem.project("web").index(root, scope="project/shop")
    with pytest.raises(ForbiddenError):
        mem.project("web").index(root, scope="global", dry_run=True)
    mem.index(root, scope="project/shop/task/t-1")
    assert texts(mem.project("shop"))
    assert not texts(mem.project("web"))


def test_the_agents_of_a_project_read_what_was_indexed(mem: Memory, root: Path) -> None:
    mem.project("web").index(root)
    bob = mem.agent("bob", project="web")
    assert bob.recall("codeword", layers=["source"]).hits
    with pytest.raises(ForbiddenError):
        bob.forget("tree/a.md#A~1")
    assert not mem.agent("eve", project="shop").recall("codeword", layers=["source"]).hits


def test_the_log_tells_what_the_pipeline_wrote(mem: Memory, root: Path) -> None:
    mem.index(root)
    assert {change.event.surface for change in mem.changes()} == {"pipeline"}


def test_an_owner_may_erase_what_was_indexed(mem: Memory, root: Path) -> None:
    """It may hold what nobody meant to have read; and it does not come back by itself."""
    mem.index(root)
    report = mem.erase("tree/a.md#A~1")
    assert report.complete
    mem.index(root)
    with pytest.raises(NotFoundError):
        mem.get("tree/a.md#A~1")


def test_scopes_keep_their_own_books(mem: Memory, root: Path) -> None:
    for name in ("web", "shop"):
        assert mem.project(name).index(root).indexed == 1
    (root / "a.md").unlink()
    assert mem.project("web").index(root).removed == 1
    assert texts(mem.project("shop"))
    assert not texts(mem.project("web"))
