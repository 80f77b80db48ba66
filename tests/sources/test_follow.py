"""What changes in files changes in memory, and nothing else does."""

import hashlib
import os
from pathlib import Path

import pytest

import lamina
from lamina.core.record import State, Trust
from lamina.core.sealed import references
from lamina.memory import Memory
from tests.sources.trees import LONG_AGO, PROSE, chunks, happened, known, section, texts, write

GUIDE = section("Install", "Use the package manager") + section("Remove", "Delete the folder")


@pytest.fixture(params=["directory", ":memory:"])
def mem(request: pytest.FixtureRequest, tmp_path: Path) -> Memory:
    where = ":memory:" if request.param == ":memory:" else tmp_path / "store"
    return lamina.open(where).project("web")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    write(folder, {"guide.md": GUIDE, "src/app.py": f'def run():\n    """{PROSE} {PROSE}"""\n'})
    return folder


def test_a_folder_becomes_chunks_that_know_where_they_stand(mem: Memory, root: Path) -> None:
    report = mem.index(root)
    assert (report.root, report.files, report.indexed, report.chunks_written) == ("tree", 2, 2, 3)
    assert set(texts(mem)) == {
        "tree/guide.md#Install~1", "tree/guide.md#Remove~1", "tree/src/app.py#run~1"
    }  # fmt: skip
    record = mem.get("tree/guide.md#Remove~1")
    assert record.text.startswith("## Remove\n\nDelete the folder.")
    assert (record.layer, record.kind, record.scope) == ("source", "chunk", "project/web")
    assert (record.trust, record.source, record.tags) == (Trust.FILE, "tree", ("markdown",))
    digest = record.data.pop("digest")
    assert len(digest) == 32
    assert record.data == {
        "root": "tree", "file": "guide.md", "lines": [5, 7], "name": "Remove",
        "language": "markdown", "places": 1,
    }  # fmt: skip


def test_the_record_of_a_file_keeps_what_is_known_of_it_and_is_not_recalled(
    mem: Memory, root: Path
) -> None:
    mem.index(root)
    record = mem.get("tree/guide.md")
    assert record.kind == "file"
    assert record.data["bytes"] == len(GUIDE.encode())
    assert record.data["modified_ns"] == LONG_AGO * 1_000_000_000
    assert record.data["digest"] != hashlib.sha256(GUIDE.encode()).hexdigest()[:32]
    found = mem.recall("guide.md", layers=["source"]).hits
    assert {hit.record.kind for hit in found} == {"chunk"}


def test_recall_finds_the_section(mem: Memory, root: Path) -> None:
    mem.index(root)
    best = mem.recall("how do I delete the folder?", layers=["source"]).hits[0].record
    assert best.key == "tree/guide.md#Remove~1"
    assert mem.recall("how do I delete the folder?").hits[0].record.id == best.id


def test_what_did_not_change_is_not_written(mem: Memory, root: Path) -> None:
    mem.index(root)
    before = happened(mem)
    report = mem.index(root)
    assert happened(mem) == before
    assert (report.indexed, report.unchanged, report.chunks_written) == (0, 2, 0)
    assert report.chunks_unchanged == 3
    assert report.bytes == sum(path.stat().st_size for path in root.rglob("*") if path.is_file())


def test_a_file_that_was_only_touched_keeps_its_chunks(mem: Memory, root: Path) -> None:
    mem.index(root)
    write(root, {"guide.md": GUIDE}, at=LONG_AGO + 60)
    report = mem.index(root)
    assert (report.indexed, report.unchanged, report.chunks_written) == (0, 2, 0)
    assert mem.get("tree/guide.md#Install~1").rev == 1
    before = happened(mem)
    mem.index(root)
    assert happened(mem) == before


def test_a_change_that_left_size_and_time_alone_is_seen_while_the_file_is_young(
    mem: Memory, tmp_path: Path
) -> None:
    young = tmp_path / "tree" / "a.txt"
    young.parent.mkdir()
    young.write_text("one and the same length")
    mem.index(young.parent)
    times = (young.stat().st_atime_ns, young.stat().st_mtime_ns)
    young.write_text("two and the same length")
    os.utime(young, ns=times)
    mem.index(young.parent)
    assert texts(mem) == {"tree/a.txt#~1": "two and the same length"}


def test_only_the_chunks_that_changed_are_written(mem: Memory, root: Path) -> None:
    mem.index(root)
    ids = {key: mem.get(key).id for key in texts(mem)}
    write(root, {"guide.md": GUIDE.replace("folder", "binder")}, at=LONG_AGO + 60)
    report = mem.index(root)
    assert (report.indexed, report.chunks_written, report.chunks_removed) == (1, 1, 0)
    assert {key: mem.get(key).id for key in texts(mem)} == ids
    assert [mem.get(key).rev for key in sorted(ids)] == [1, 2, 1]
    assert not mem.recall("folder", layers=["source"]).hits
    assert len(mem.history("tree/guide.md#Remove~1")) == 2


def test_lines_follow_when_something_is_inserted_above(mem: Memory, root: Path) -> None:
    mem.index(root)
    write(root, {"guide.md": section("First", "New here") + GUIDE}, at=LONG_AGO + 60)
    mem.index(root)
    assert mem.get("tree/guide.md#Remove~1").data["lines"] == [9, 11]
    assert mem.get("tree/guide.md#Remove~1").text.startswith("## Remove")


def test_what_vanished_is_forgotten_and_comes_back_as_the_same_record(
    mem: Memory, root: Path
) -> None:
    mem.index(root)
    before = {key: mem.get(key).id for key in texts(mem)}
    (root / "guide.md").unlink()
    report = mem.index(root)
    assert (report.removed, report.chunks_removed) == (1, 2)
    assert known(mem) == {"src/app.py"}
    assert not mem.recall("package manager", layers=["source"]).hits
    gone = mem.get(before["tree/guide.md#Install~1"])
    assert gone.state is State.FORGOTTEN
    write(root, {"guide.md": GUIDE.replace("manager", "tool")})
    mem.index(root)
    assert {key: mem.get(key).id for key in texts(mem)} == before
    assert mem.recall("package tool", layers=["source"]).hits


def test_a_section_that_was_taken_out_goes(mem: Memory, root: Path) -> None:
    mem.index(root)
    write(root, {"guide.md": section("Remove", "Delete the folder")}, at=LONG_AGO + 60)
    report = mem.index(root)
    assert report.chunks_removed == 1
    assert set(texts(mem)) == {"tree/guide.md#Remove~1", "tree/src/app.py#run~1"}


def test_a_renamed_file_is_followed(mem: Memory, root: Path) -> None:
    mem.index(root)
    os.rename(root / "guide.md", root / "manual.md")
    report = mem.index(root)
    assert (report.indexed, report.removed) == (1, 1)
    assert known(mem) == {"manual.md", "src/app.py"}
    assert set(texts(mem)) >= {"tree/manual.md#Install~1", "tree/manual.md#Remove~1"}
    assert not [key for key in texts(mem) if "guide" in key]


def test_the_same_text_is_kept_once_with_all_its_places(mem: Memory, root: Path) -> None:
    write(root, {"a/copy.md": GUIDE, "b/copy.md": "# Top\n\n" + GUIDE})
    report = mem.index(root)
    assert len([text for text in texts(mem).values() if "Delete the folder" in text]) == 1
    _, data = chunks(mem)["tree/a/copy.md#Remove~1"]
    assert data["places"] == 3
    assert data["also"] == [
        {"file": "b/copy.md", "lines": [7, 9], "name": "Top > Remove"},
        {"file": "guide.md", "lines": [5, 7], "name": "Remove"},
    ]
    assert report.chunks_written == len(texts(mem)) == 4


def test_a_text_stays_while_it_stands_anywhere(mem: Memory, root: Path) -> None:
    write(root, {"a/copy.md": GUIDE})
    mem.index(root)
    (root / "a/copy.md").unlink()
    mem.index(root)
    assert set(texts(mem)) == {
        "tree/guide.md#Install~1", "tree/guide.md#Remove~1", "tree/src/app.py#run~1"
    }  # fmt: skip
    text, data = chunks(mem)["tree/guide.md#Remove~1"]
    assert text.startswith("## Remove\n\nDelete the folder.")
    assert (data["file"], data["places"]) == ("guide.md", 1)


def test_a_file_that_changed_meanwhile_comes_along(mem: Memory, root: Path) -> None:
    """Indexing a part moves a chunk to a file outside it, which is not what it was."""
    write(root, {"a/copy.md": GUIDE})
    mem.index(root)
    (root / "a/copy.md").unlink()
    write(root, {"guide.md": section("Remove", "Burn the folder"), "a/x.md": "x"})
    mem.index(root / "a")
    assert "Burn the folder" in texts(mem)["tree/guide.md#Remove~1"]
    assert not [text for text in texts(mem).values() if "Delete" in text]


def test_secrets_in_files_are_sealed(mem: Memory, root: Path) -> None:
    secret = "AKIA" + "QY7RM2KXWJ5TPLN4"
    says = f"aws_access_key_id = {secret}\n{PROSE}\n"
    write(root, {"setup.md": f"# Key {secret}\n\n{says}", "copy.md": f"# Other\n\n{says}"})
    mem.index(root)
    held = [repr(record) for record in mem.query({"layer": "source"}, limit=1000)]
    assert held
    assert not [said for said in held if secret in said]
    before = happened(mem)
    mem.index(root)
    assert happened(mem) == before
    [record] = mem.query({"layer": "source", "kind": "chunk", "data.file": "copy.md"})
    [reference] = references(record.text)
    assert mem.reveal(record.id, reference) == secret


def test_a_dry_run_tells_and_changes_nothing(mem: Memory, root: Path) -> None:
    before = happened(mem)
    told = mem.index(root, dry_run=True)
    assert happened(mem) == before
    assert not told.applied
    done = mem.index(root)
    assert (told.indexed, told.chunks_written) == (done.indexed, done.chunks_written) == (2, 3)
    (root / "guide.md").unlink()
    told = mem.index(root, dry_run=True)
    assert (told.removed, told.chunks_removed) == (1, 2)
    assert known(mem) == {"guide.md", "src/app.py"}


def test_what_was_forgotten_by_hand_stays_so_until_everything_is_read_again(
    mem: Memory, root: Path
) -> None:
    mem.index(root)
    mem.forget("tree/guide.md#Remove~1")
    write(root, {"guide.md": GUIDE + section("New", "One more")}, at=LONG_AGO + 60)
    mem.index(root)
    assert "tree/guide.md#New~1" in texts(mem)
    assert "tree/guide.md#Remove~1" not in texts(mem)
    mem.index(root, reread=True)
    assert "tree/guide.md#Remove~1" in texts(mem)
    mem.forget("tree/guide.md#Remove~1")
    write(root, {"guide.md": GUIDE.replace("Delete", "Erase")}, at=LONG_AGO + 120)
    mem.index(root)
    assert "Erase the folder" in texts(mem)["tree/guide.md#Remove~1"]


def test_progress_goes_from_nothing_to_all(mem: Memory, root: Path) -> None:
    shares: list[float] = []
    mem.index(root, on_progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(shares) >= 2
