"""Which files are met, and why others are not."""

import os
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.errors import InvalidInputError
from lamina.memory import Memory
from lamina.sources.guarding import HIDDEN, KEY
from lamina.sources.walking import walk
from tests.sources.trees import chunks, known, section, write


@pytest.fixture
def mem() -> Memory:
    return lamina.open(":memory:")


def _met(root: Path, start: str = "") -> list[str]:
    return [found.file for found in walk(root, start).files]


def test_files_come_in_a_fixed_order_whatever_the_disk_says(tmp_path: Path) -> None:
    write(tmp_path, {"b/z": "", "b/a": "", "a.txt": "", "c": "", "b.txt": "", "b/k/x": ""})
    assert _met(tmp_path) == ["a.txt", "b.txt", "c", "b/a", "b/z", "b/k/x"]


def test_ignore_files_count_at_every_level(tmp_path: Path) -> None:
    write(tmp_path, {
        ".gitignore": "*.log\n/build/\n", ".laminaignore": "private/\n!wanted.log\n",
        ".git/info/exclude": "scratch\n*.tmp\n", "sub/.gitignore": "!keep.log\n/only-here\n",
        "a.log": "", "wanted.log": "", "build/x": "", "sub/build/x": "", "private/x": "",
        "sub/private/x": "", "scratch": "", "x.tmp": "", "sub/keep.log": "", "sub/only-here": "",
        "only-here": "", "kept": "",
    })  # fmt: skip
    assert set(_met(tmp_path)) == {
        "wanted.log", "sub/build/x", "sub/keep.log", "only-here", "kept",
    }  # fmt: skip
    assert set(_met(tmp_path, "sub")) == {"sub/build/x", "sub/keep.log"}


def test_some_folders_are_never_entered(tmp_path: Path) -> None:
    write(tmp_path, {
        ".git/config": "", "x/.git/HEAD": "", "node_modules/p/i.js": "", ".lamina/config.toml": "",
        "env/pyvenv.cfg": "", "env/lib/x.py": "", "memory/lamina.db": "", "memory/secret.key": "",
        "cache/CACHEDIR.TAG": "", "cache/y": "", "__pycache__/z.txt": "", "kept": "",
        "worktree/.git": "gitdir: elsewhere\n", "worktree/kept": "",
    })  # fmt: skip
    assert set(_met(tmp_path)) == {"kept", "worktree/kept"}


def test_links_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path, {"outside/secret.txt": "far", "tree/inside.txt": "near"})
    root = tmp_path / "tree"
    os.symlink(tmp_path / "outside/secret.txt", root / "out.txt")
    os.symlink(tmp_path / "outside", root / "outside")
    os.symlink("inside.txt", root / "again.txt")
    os.symlink(".", root / "loop")
    os.symlink("nowhere", root / "broken")
    found = walk(root)
    assert [one.file for one in found.files] == ["inside.txt"]
    links = ["again.txt", "broken", "loop", "out.txt", "outside"]
    assert found.skipped == [(name, "a symbolic link") for name in links]


@pytest.mark.parametrize("lies_in", ["b", "b/c"])
def test_a_folder_that_becomes_a_link_while_files_are_read_is_not_followed(
    mem: Memory, tmp_path: Path, lies_in: str
) -> None:
    root, outside = tmp_path / "tree", tmp_path / "outside"
    write(tmp_path, {"outside/x.txt": "far", "outside/c/x.txt": "far"})
    write(root, {"a.txt": "near", "b/x.txt": "near by", "b/c/x.txt": "near by too"})
    name = root / lies_in

    def swap(share: float) -> None:
        if not name.is_symlink():
            name.rename(tmp_path / "moved")
            name.symlink_to(outside / "c" if lies_in == "b/c" else outside)

    report = mem.index(root, on_progress=swap)
    assert "far" not in {text for text, _ in chunks(mem).values()}
    assert dict(report.skipped)[f"{lies_in}/x.txt"] == "replaced by a link while it was looked at"
    assert "a.txt" in known(mem)


def test_a_folder_that_became_a_link_is_not_listed(tmp_path: Path) -> None:
    write(tmp_path, {"outside/sub/x.txt": "far", "tree/x.txt": "near"})
    os.symlink(tmp_path / "outside", tmp_path / "tree/link")
    for start in ("link/sub", "link"):
        found = walk(tmp_path / "tree", start)
        assert found.files == []
        assert found.skipped == [(start, "cannot be read: Not a directory")]


def test_ignore_files_are_not_read_through_links(tmp_path: Path) -> None:
    write(tmp_path, {"rules": "kept.txt\n", "tree/kept.txt": "", "tree/sub/x.txt": ""})
    os.symlink(tmp_path / "rules", tmp_path / "tree/.gitignore")
    os.mkfifo(tmp_path / "tree/sub/.gitignore")
    assert _met(tmp_path / "tree") == ["kept.txt", "sub/x.txt"]


def test_reading_a_tree_leaves_nothing_open(mem: Memory, tmp_path: Path) -> None:
    write(tmp_path / "tree", {"a/b/x.txt": "deep", "a/y.txt": "less"})
    os.symlink("a", tmp_path / "tree/link")
    mem.index(tmp_path / "tree", vectors=False)
    before = os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else []
    for start in ("", "link", "link/b", "a/b/x.txt", "nowhere/at/all"):
        walk(tmp_path / "tree", start)
    mem.index(tmp_path / "tree", vectors=False, reread=True)
    after = os.listdir("/proc/self/fd") if before else []
    assert len(after) == len(before)


def test_a_file_is_left_out_with_a_reason(mem: Memory, tmp_path: Path) -> None:
    write(tmp_path / "tree", {
        "binary.dat": b"PK\x00\x01", "controls.txt": bytes(range(1, 32)) * 3,
        "large.txt": "word " * 500_000, "latin.txt": "caf\xe9".encode("latin-1"),
        "min.js": "var a=1;" * 9_000, "empty.txt": "", "fine.txt": "fine",
        "bom.txt": b"\xef\xbb\xbfmarked", "utf16.txt": "wide".encode("utf-16"),
    })  # fmt: skip
    os.mkfifo(tmp_path / "tree/pipe")
    with open(os.fsencode(tmp_path / "tree") + b"/bad\xff.txt", "w"):
        pass
    report = mem.index(tmp_path / "tree")
    assert dict(report.skipped) == {
        "bad\\xff.txt": "its name is not UTF-8", "binary.dat": "not text",
        "controls.txt": "not text", "large.txt": "larger than 1,000,000 bytes",
        "min.js": "made by a machine: its lines are endless", "pipe": "not a regular file",
        "utf16.txt": "not text",
    }  # fmt: skip
    assert known(mem) == {"latin.txt", "empty.txt", "fine.txt", "bom.txt"}
    assert report.notes == (("latin.txt", "not UTF-8; read as Latin-1"),)
    said = {key: text for key, (text, _) in chunks(mem).items()}
    assert said == {
        "tree/latin.txt#~1": "café", "tree/fine.txt#~1": "fine", "tree/bom.txt#~1": "marked"
    }  # fmt: skip


def test_how_large_a_file_may_be_is_a_setting(mem: Memory, tmp_path: Path) -> None:
    write(tmp_path / "tree", {"a.txt": "x" * 200})
    mem.index(tmp_path / "tree")
    mem.configure("index.max_bytes", "100")
    write(tmp_path / "tree", {"b.txt": "y" * 100})
    assert mem.index(tmp_path / "tree", reread=True).removed == 1
    assert known(mem) == {"b.txt"}
    with pytest.raises(InvalidInputError):
        mem.configure("index.max_bytes", "lots")
    with pytest.raises(InvalidInputError):
        mem.configure("index.max_bytes", "0")


def test_what_is_no_text_any_more_goes(mem: Memory, tmp_path: Path) -> None:
    write(tmp_path / "tree", {"a": "text", "b": "more"})
    mem.index(tmp_path / "tree")
    write(tmp_path / "tree", {"a": b"\0\0\0", ".gitignore": "b\n"})
    report = mem.index(tmp_path / "tree")
    assert report.removed == 2
    assert known(mem) == set()


def test_a_part_of_a_work_tree_is_named_from_its_top(mem: Memory, tmp_path: Path) -> None:
    top = tmp_path / "Project X"
    write(top, {".git/HEAD": "", "docs/a.md": section("A", "Is here"), "b.md": "other"})
    assert mem.index(top / "docs").root == "project-x"
    assert set(chunks(mem)) == {"project-x/docs/a.md#A~1"}
    mem.index(top)
    assert known(mem) == {"docs/a.md", "b.md"}
    write(top, {"docs/a.md": section("B", "Is new"), "b.md": "changed"})
    mem.index(top / "docs/a.md", reread=True)
    assert {text for text, _ in chunks(mem).values()} >= {"other"}
    assert "project-x/docs/a.md#B~1" in chunks(mem)


def test_a_folder_below_one_that_is_known_belongs_to_it(mem: Memory, tmp_path: Path) -> None:
    write(tmp_path / "tree", {"a/x.txt": "one", "b.txt": "two"})
    mem.index(tmp_path / "tree")
    (tmp_path / "tree/a/x.txt").unlink()
    assert mem.index(tmp_path / "tree/a").removed == 1
    assert known(mem) == {"b.txt"}


def test_a_folder_around_one_that_is_known_takes_it_in(mem: Memory, tmp_path: Path) -> None:
    write(tmp_path / "tree", {"a/x.txt": "one", "b.txt": "two", "c/.git/HEAD": "", "c/y": "three"})
    assert mem.index(tmp_path / "tree/a").root == "a"
    assert mem.index(tmp_path / "tree/c").root == "c"
    mem.index(tmp_path / "tree")
    assert set(chunks(mem)) == {"tree/a/x.txt#~1", "tree/b.txt#~1", "tree/c/y#~1", "c/y#~1"}
    assert mem.index(tmp_path / "tree/a").root == "tree"


@pytest.mark.parametrize("name", ["a#b.md", "50%.md", "a b .md", "ünï.md", "x\ny.md", "é.md"])
def test_odd_names_have_keys_of_their_own(mem: Memory, tmp_path: Path, name: str) -> None:
    names = ["a", "a#b.md", "50%.md", "50%25.md", "a b .md", "ünï.md", "x\ny.md", "é.md", "é.md"]
    write(tmp_path / "tree", {one: section("T", f"This is {one!a}") for one in [*names, name]})
    mem.index(tmp_path / "tree")
    by_file = {data["file"]: text for text, data in chunks(mem).values()}
    assert by_file[name].splitlines()[2].startswith(f"This is {name!a}")
    assert len(by_file) == len(set(names))


def test_endless_names_have_keys_too(mem: Memory, tmp_path: Path) -> None:
    deep = "/".join(["d" * 100] * 7)
    text = section("T" * 300, "One") + section("U" * 300, "Two")
    write(tmp_path / "tree", {f"{deep}/x.md": text, f"{deep}/y.md": text.replace("One", "Three")})
    mem.index(tmp_path / "tree")
    assert len(chunks(mem)) == 3


@pytest.mark.parametrize("path", ["", "nowhere", "a\0b"])
def test_a_path_that_is_not_there_is_refused(mem: Memory, path: str) -> None:
    with pytest.raises(InvalidInputError):
        mem.index(path)


@pytest.mark.parametrize("path", [5, None, True, b"tree", ["tree"]])
def test_what_is_no_path_is_refused(mem: Memory, path: Any) -> None:
    with pytest.raises(InvalidInputError) as caught:
        mem.index(path)
    assert "`path` must be text" in caught.value.message


def test_what_an_ignore_file_leaves_out_is_not_indexed_by_name_either(
    mem: Memory, tmp_path: Path
) -> None:
    write(tmp_path, {".git/HEAD": "", ".gitignore": "build\n", "build/x.txt": "x",
                     ".lamina/config.toml": ""})  # fmt: skip
    for path in (tmp_path / "build", tmp_path / "build/x.txt", tmp_path / ".lamina"):
        with pytest.raises(InvalidInputError) as caught:
            mem.index(path)
        assert ".laminaignore" in caught.value.remedy
    write(tmp_path, {".laminaignore": "!build\n"})
    assert mem.index(tmp_path / "build").indexed == 1


def test_the_store_does_not_index_itself(tmp_path: Path) -> None:
    mem = lamina.open(f"json:{tmp_path / 'tree' / 'memory.json'}")
    mem.remember("the password is tangerine-42-Lagoon")
    write(tmp_path / "tree", {"a.txt": "text"})
    mem.index(tmp_path / "tree")
    assert known(mem) == {"a.txt"}


GUARDED = {
    ".env": "A=1", ".config/x.toml": "", "key.pem": "", "sub/server.KEY": "", "id_ed25519": "",
    "prod.env": "B=2", "id_ed25519.pub": "", "keys.md": "", "monkey": "", "a.environment": "",
}  # fmt: skip


def test_what_is_hidden_or_a_key_is_left_out_and_told(tmp_path: Path) -> None:
    write(tmp_path, {**GUARDED, ".gitignore": "", ".laminaignore": "# nothing", ".git/HEAD": ""})
    found = walk(tmp_path)
    assert {one.file for one in found.files} == {
        "id_ed25519.pub", "keys.md", "monkey", "a.environment"
    }  # fmt: skip
    reasons = dict(found.skipped)
    assert {file for file, reason in reasons.items() if reason == HIDDEN} == {".env", ".config/"}
    assert {file for file, reason in reasons.items() if reason == KEY} == {
        "key.pem", "sub/server.KEY", "id_ed25519", "prod.env"
    }  # fmt: skip


def test_what_is_guarded_comes_in_by_our_own_ignore_file_alone(tmp_path: Path) -> None:
    asked = "!.config\n!key.pem\n"
    write(tmp_path, {**GUARDED, ".gitignore": asked})
    assert not {"key.pem", ".config/x.toml"} & set(_met(tmp_path))
    write(tmp_path, {".gitignore": "", ".laminaignore": asked})
    assert {"key.pem", ".config/x.toml"} <= set(_met(tmp_path))
    assert ".env" not in _met(tmp_path)


def test_a_hidden_path_is_refused_by_name_with_a_way_out(mem: Memory, tmp_path: Path) -> None:
    write(tmp_path, {".git/HEAD": "", ".notes/a.md": "hidden words"})
    with pytest.raises(InvalidInputError, match="hidden") as refused:
        mem.index(tmp_path / ".notes")
    assert "!.notes" in refused.value.remedy
    write(tmp_path, {".laminaignore": "!.notes\n"})
    assert mem.index(tmp_path / ".notes").indexed == 1
