"""Folders that are imported in part, as a whole, and renamed: no note becomes knowledge twice."""

from pathlib import Path

import pytest

from lamina import Memory
from lamina.importing import Fate, NotesReport, markdown
from tests.places import mem

__all__ = ["mem"]


@pytest.fixture
def notes(tmp_path: Path, mem: Memory) -> Path:
    mem.configure("recall.embedder", "off")
    folder = tmp_path / "notes"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.md").write_text("- alpha is the first letter\n")
    (folder / "sub" / "b.md").write_text("- beta is the second letter\n- **port**: 8080\n")
    return folder


def where_from(mem: Memory) -> dict[str, str]:
    """The file of everything that stands; what stands twice would be missing from the count."""
    found = {record.text: record.data["file"] for record in mem.query({"layer": "knowledge"})}
    assert len(found) == mem.count({"layer": "knowledge"})
    return found


def assert_unchanged(report: NotesReport) -> None:
    assert {one.fate for one in report.entries} == {Fate.UNCHANGED}


@pytest.mark.parametrize("first", ["sub", "sub/b.md", "a.md"])
def test_a_part_and_then_the_whole(mem: Memory, notes: Path, first: str) -> None:
    markdown(mem, notes / first)
    ids = {record.id for record in mem.query()}
    markdown(mem, notes)
    whole = {"alpha is the first letter": "a.md", "beta is the second letter": "sub/b.md"}
    assert where_from(mem) == whole | {"8080": "sub/b.md"}
    assert ids <= {record.id for record in mem.query()}
    for path in (notes, notes / "sub", notes / "sub" / "b.md", notes / "a.md"):
        assert_unchanged(markdown(mem, path))


def test_what_was_changed_by_hand_in_a_part_stays_so(mem: Memory, notes: Path) -> None:
    markdown(mem, notes / "sub")
    mem.edit("port", "9090")
    (notes / "sub" / "b.md").write_text("- **port**: 7070\n")
    report = markdown(mem, notes)
    assert {one.text: one.fate for one in report.entries}["7070"] is Fate.CONFLICT
    assert mem.get("port").text == "9090"
    assert "beta is the second letter" not in where_from(mem)


def test_a_part_that_lost_a_note_before_the_whole_came(mem: Memory, notes: Path) -> None:
    markdown(mem, notes / "sub")
    (notes / "sub" / "b.md").rename(notes / "sub" / "kept.md")
    (notes / "sub" / "kept.md").write_text("- gamma came later\n")
    markdown(mem, notes)
    assert where_from(mem) == {
        "alpha is the first letter": "a.md",
        "gamma came later": "sub/kept.md",
    }


@pytest.mark.parametrize("new", ["sub/c.md", "c.md", "sub/deeper/b.md"])
def test_a_renamed_note_is_the_same_records(mem: Memory, notes: Path, new: str) -> None:
    markdown(mem, notes)
    mem.edit("port", "9090")
    ids = {record.text: record.id for record in mem.query()}
    (notes / new).parent.mkdir(exist_ok=True)
    (notes / "sub" / "b.md").rename(notes / new)
    assert_unchanged(markdown(mem, notes))
    assert {record.text: record.id for record in mem.query()} == ids
    assert where_from(mem)["9090"] == where_from(mem)["beta is the second letter"] == new
    assert_unchanged(markdown(mem, notes))


def test_what_was_forgotten_stays_so_under_another_name(mem: Memory, notes: Path) -> None:
    (notes / "sub" / "b.md").write_text("- beta is second\n- gamma is third\n- delta is fourth\n")
    markdown(mem, notes)
    [gamma] = [one for one in mem.query() if one.text == "gamma is third"]
    mem.forget(gamma.id)
    (notes / "sub" / "b.md").rename(notes / "c.md")
    fates = {one.text: one.fate for one in markdown(mem, notes).entries}
    assert fates["gamma is third"] is Fate.HIDDEN


def test_a_new_note_that_says_one_thing_alike_is_new(mem: Memory, notes: Path) -> None:
    (notes / "sub" / "b.md").write_text("- beta is second\n- gamma is third\n- delta is fourth\n")
    markdown(mem, notes)
    (notes / "sub" / "b.md").unlink()
    (notes / "c.md").write_text("- gamma is third\n- something else\n")
    report = markdown(mem, notes)
    assert report.count(Fate.FORGOTTEN) == 3
    assert report.count(Fate.ADDED) == 2
