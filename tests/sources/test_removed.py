"""What somebody took out of memory by hand: nothing of it stays, and it does not creep back."""

import os
from pathlib import Path

import pytest

import lamina
from lamina.core.principal import Surface
from lamina.memory import Memory
from tests.sources.trees import LONG_AGO, chunks, happened, section, texts, write

HEADING = "Diagnosis of Johanna Zanzibar"
PAGE = section("Before", "Nothing to see") + section(HEADING, "She was told on Monday")
ERASED = f"tree/notes.md#{HEADING}~1"


@pytest.fixture
def mem() -> Memory:
    return lamina.open(":memory:")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "tree", {"notes.md": PAGE, "z.md": "other"})
    return tmp_path / "tree"


def _rest(mem: Memory) -> str:
    return repr(mem.query({"layer": "source"}, limit=1000))


def test_only_chunks_hold_what_a_file_says(mem: Memory, root: Path) -> None:
    mem.index(root)
    held = {record.kind for record in mem.query({"layer": "source"}) if HEADING in repr(record)}
    assert held == {"chunk"}


def test_nothing_of_an_erased_chunk_stays(mem: Memory, root: Path) -> None:
    mem.index(root)
    report = mem.erase(ERASED)
    assert report.complete
    assert report.mentions == ()
    assert "Johanna" not in _rest(mem)


def test_the_report_names_the_files_that_still_hold_it(mem: Memory, root: Path) -> None:
    write(root, {"copy.md": PAGE, "gone.md": PAGE, "changed.md": PAGE})
    mem.index(root)
    (root / "gone.md").unlink()
    write(root, {"changed.md": section(HEADING, "Nothing of the sort any more")})
    report = mem.erase(f"tree/changed.md#{HEADING}~1")
    assert report.complete
    assert report.sources == (str(root / "copy.md"), str(root / "notes.md"))
    assert mem.erase(mem.remember("told by hand").id).sources == ()


def test_a_file_in_which_a_secret_was_sealed_still_holds_it(mem: Memory, root: Path) -> None:
    secret = "AKIA" + "QY7RM2KXWJ5TPLN4"
    write(root, {"key.md": section("Access", f"aws_access_key_id = {secret}")})
    mem.index(root)
    assert mem.erase("tree/key.md#Access~1").sources == (str(root / "key.md"),)


@pytest.mark.parametrize("remove", [Memory.erase, Memory.forget])
@pytest.mark.parametrize(
    "now",
    [
        {"notes.md": section("New", "Put on top") + PAGE},
        {"notes.md": PAGE.replace("Nothing to see", "All there is to see")},
        {"notes.md": PAGE, "a.md": PAGE},
    ],
    ids=["moved down", "changed elsewhere", "copied"],
)
def test_what_was_removed_by_hand_does_not_creep_back(
    mem: Memory, root: Path, now: dict[str, str], remove: object
) -> None:
    mem.index(root)
    assert callable(remove)
    remove(mem, ERASED)
    for at in (60, 120):
        write(root, now, at=LONG_AGO + at)
        mem.index(root)
        assert HEADING not in "".join(texts(mem).values())
        now = {name: text + section("Last", "At the end") for name, text in now.items()}
    mem.index(root, reread=True)
    assert HEADING in "".join(texts(mem).values())


def test_a_renamed_file_does_not_bring_it_back_either(mem: Memory, root: Path) -> None:
    write(root, {"old/notes.md": PAGE})
    mem.index(root)
    mem.erase(ERASED)
    (root / "notes.md").unlink()
    mem.index(root)
    os.rename(root / "old/notes.md", root / "new.md")
    mem.index(root)
    assert set(texts(mem)) == {"tree/new.md#Before~1", "tree/z.md#~1"}


def test_a_text_with_a_name_that_nobody_remembers_is_named_again(mem: Memory, root: Path) -> None:
    """Of its many places a chunk tells the first hundred; the others are read again."""
    shared = section("Licence", "Everybody may do everything")
    ours = "# Ours\n\n" + section("First", "Ours alone") + shared
    write(root, {f"d/{n:03}.md": shared for n in range(100)} | {"e.md": ours})
    mem.index(root)
    (root / "d/000.md").unlink()
    mem.index(root)
    _, data = chunks(mem)["tree/d/001.md#Licence~1"]
    assert data["also"][-1]["name"] == "Ours > Licence"
    assert data["places"] == 100


def test_entries_that_spell_out_names_are_followed_and_rewritten(mem: Memory, root: Path) -> None:
    mem.index(root)
    before = chunks(mem)
    door = mem.path_for(Surface.PIPELINE)
    record = mem.get("tree/notes.md")
    names = ["Before", HEADING]
    pieces = [[*piece[:3], name] for piece, name in zip(record.data["chunks"], names, strict=True)]
    old = record.data | {"chunks": pieces, "cutter": record.data["cutter"] - 1}
    door.commit([door.edit(record, {"data": old}, record.rev)])
    assert HEADING in repr(mem.get("tree/notes.md"))
    mem.index(root)
    assert chunks(mem) == before
    assert HEADING not in repr(mem.get("tree/notes.md"))
    # The version before it still says so, and the report tells.
    assert mem.get("tree/notes.md").id in mem.erase(ERASED).mentions


def test_files_that_were_only_touched_are_not_written_anew(mem: Memory, root: Path) -> None:
    mem.index(root)
    mem.erase(ERASED)
    write(root, {"notes.md": PAGE}, at=LONG_AGO + 60)
    mem.index(root)
    before = happened(mem)
    mem.index(root)
    assert happened(mem) == before
    assert ERASED not in texts(mem)
