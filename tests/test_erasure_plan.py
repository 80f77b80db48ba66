"""What an erase would touch is told before, by the code that does it; telling changes nothing."""

from pathlib import Path

import pytest

import lamina
from lamina import ForbiddenError, Memory
from lamina.exchange import export_lines
from lamina.files import sync
from lamina.importing import markdown
from tests.places import plain

__all__ = ["plain"]

KETTLE = "The kettle in the tea kitchen is descaled on Mondays"


def every_byte(folder: Path) -> dict[str, bytes]:
    """The files of a store, but for what says who has it open."""
    found = {str(one): one.read_bytes() for one in folder.rglob("*") if one.is_file()}
    return {name: held for name, held in found.items() if not name.endswith("-shm")}


def test_a_preview_says_what_the_erase_then_does(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with lamina.open(store) as mem:
        mem.configure("recall.embedder", "off")
        mem.remember("Descaled on Fridays", key="kettle")
        kettle = mem.remember(f"{KETTLE}, api_key=sk-{'a1B2' * 10}", key="kettle").id
        heard = mem.remember(f"Otto said: {mem.get(kettle).text}", layer="session").id
        mem.remember("The printer is upstairs")
        sync(mem)
        mem.flush()
        before, log = every_byte(store), list(export_lines(mem, history=True))

        plan = mem.would_erase("kettle")

        assert every_byte(store) == before
        assert list(export_lines(mem, history=True)) == log
        [touched] = plan.records
        assert (touched.id, touched.versions, touched.why) == (kettle, 2, "")
        assert touched.text.startswith(KETTLE)
        assert plan.words > 5
        assert [Path(one).name for one in plan.files] == ["MEMORY.md"]
        assert [one.id for one in plan.saying] == [heard]
        report = mem.erase("kettle")
        assert [one.id for one in plan.records] == list(report.records)
        assert (plan.versions, plan.sealed) == (report.versions, report.sealed)
        assert plan.mentions == report.mentions
        assert report.complete
        assert KETTLE not in Path(plan.files[0]).read_text()


def test_copies_go_along_and_say_why(plain: Memory) -> None:
    web = plain.project("web")
    stands = web.remember("Deploys go out on Thursdays", key="deploys").id
    finn = plain.agent("finn", project="web")
    proposed = finn.remember("Deploys go out on Fridays", key="deploys", scope="project/web").id
    assert web.accept(proposed).id == stands
    plan = web.would_erase("deploys")
    assert {one.id: one.why for one in plan.records} == {
        stands: "", proposed: "the proposal that it was accepted from",
    }  # fmt: skip
    assert {*web.erase("deploys").records} == {one.id for one in plan.records}


def test_files_that_bring_it_back_are_named(plain: Memory, tmp_path: Path) -> None:
    (tmp_path / "house.md").write_text(f"- {KETTLE}\n", encoding="utf-8")
    (tmp_path / "plan.md").write_text("# Kettles\n\nBuy a larger kettle.\n", encoding="utf-8")
    markdown(plain, tmp_path / "house.md")
    plain.index(tmp_path / "plan.md")
    [note] = plain.query({"layer": "knowledge"})
    [chunk] = plain.query({"layer": "source", "kind": "chunk"})
    plan = plain.would_erase(note.id, chunk.id)
    assert plan.notes == ("house.md",)
    assert plan.sources == (str(tmp_path / "plan.md"),)


def test_who_may_not_erase_may_not_ask(plain: Memory) -> None:
    owned = plain.project("web").remember(KETTLE, key="kettle").id
    finn = plain.agent("finn", project="web")
    with pytest.raises(ForbiddenError) as refused:
        finn.erase(owned)
    with pytest.raises(ForbiddenError) as asked:
        finn.would_erase(owned)
    assert str(asked.value) == str(refused.value)
    assert plain.project("web").would_erase(owned).files == ()
