"""`lamina index`: the summary, the JSON, what is skipped, and this project's own documents."""

import os
import shutil
from pathlib import Path

import pytest

from tests.meta.tree import ROOT
from tests.sources.trees import section, write
from tests.surfaces.shell import Call, on_terminal, run


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    write(folder, {"guide.md": section("Install", "Use the package manager"), "a.bin": b"\0"})
    return folder


def test_the_summary_says_what_was_done(lamina: Call, tree: Path) -> None:
    done = lamina("index", str(tree))
    assert done.status == 0
    rows = dict(line.split("\t") for line in done.out.splitlines())
    assert rows == {
        "files": "2", "indexed": "1", "unchanged": "0", "removed": "0", "skipped": "1",
        "chunks written": "1", "chunks unchanged": "0", "chunks removed": "0",
        "text": f"{(tree / 'guide.md').stat().st_size} bytes", "secrets sealed": "0",
        "scope": "global",
    }  # fmt: skip
    assert "skipped a.bin: not text" in done.err
    assert "A new store was made" in done.err
    found = lamina("recall", "package manager", "--json").json["hits"]
    assert found[0]["record"]["data"]["file"] == "guide.md"


def test_json_has_everything(lamina: Call, tree: Path) -> None:
    done = lamina("index", str(tree), "--json", "--project", "web")
    assert done.json == {
        "applied": True, "root": "tree", "scope": "project/web",
        "files": 2, "indexed": 1, "unchanged": 0, "removed": 0,
        "chunks": {"written": 1, "unchanged": 0, "removed": 0},
        "bytes": (tree / "guide.md").stat().st_size,
        "skipped": [{"file": "a.bin", "reason": "not text"}], "notes": [], "sealed": 0,
        "degraded": [],
    }  # fmt: skip
    [record] = lamina("list", "--layer", "source", "--kind", "chunk", "--json").json["records"]
    assert record["scope"] == "project/web"
    again = lamina("index", str(tree), "--project", "web", "--json").json
    assert (again["indexed"], again["unchanged"]) == (0, 1)


def test_a_dry_run_changes_nothing(lamina: Call, store: Path, tree: Path) -> None:
    told = lamina("index", str(tree), "--dry-run")
    assert "would be indexed\t1" in told.out
    assert lamina("list", "--layer", "source", "--json").json["total"] == 0


def test_a_scope_can_be_named(lamina: Call, tree: Path) -> None:
    assert lamina("index", str(tree), "--scope", "project/web/task/t-7").status == 0
    [record] = lamina("list", "--layer", "source", "--kind", "chunk", "--json").json["records"]
    assert record["scope"] == "project/web/task/t-7"


def test_everything_is_read_again_when_asked(lamina: Call, tree: Path) -> None:
    lamina("index", str(tree))
    assert lamina("forget", "tree/guide.md#Install~1").status == 0
    assert lamina("index", str(tree), "--json").json["chunks"]["written"] == 0
    assert lamina("index", str(tree), "--all", "--json").json["chunks"]["written"] == 1


def test_an_erase_says_that_the_file_still_holds_it(lamina: Call, tree: Path) -> None:
    lamina("index", str(tree))
    done = lamina("erase", "tree/guide.md#Install~1", "--yes")
    assert done.status == 0
    rows = dict(line.split("\t") for line in done.out.splitlines())
    assert rows["others that say the same"] == "none"
    assert rows["files that still hold it"] == str(tree / "guide.md")
    assert lamina("index", str(tree), "--json").json["chunks"]["written"] == 0
    lamina("index", str(tree), "--all")
    (tree / "guide.md").unlink()
    done = lamina("erase", "tree/guide.md#Install~1", "--yes", "--json")
    assert done.json["sources"] == []


def test_many_of_one_reason_are_counted(lamina: Call, tree: Path) -> None:
    write(tree, {f"x{n}.bin": b"\0" for n in range(20)})
    err = lamina("index", str(tree)).err
    assert err.count("not text") == 11
    assert "skipped 11 more: not text" in err


def test_wrong_calls_are_answered(lamina: Call, store: Path, tree: Path) -> None:
    assert lamina("index").status == 2
    assert lamina("index", str(tree / "nowhere")).status == 2
    assert lamina("index", str(store)).status == 2
    assert lamina("index", str(tree), "--as", "finn", "--project", "web").status == 4


def test_a_terminal_shows_a_table(tree: Path, store: Path) -> None:
    shown = on_terminal("--dir", str(store), "index", str(tree), cwd=tree.parent)
    assert shown.status == 0
    assert "chunks written" in shown.out


def test_what_cannot_be_looked_at_is_reported_and_stays_known(tree: Path, store: Path) -> None:
    write(tree, {"locked/a.md": section("A", "Is here"), "shut.md": section("B", "Is there")})
    arguments = ("--dir", str(store), "index", str(tree), "--json")
    assert run(*arguments, cwd=tree.parent).json["indexed"] == 3
    os.chmod(tree / "locked", 0)
    os.chmod(tree / "shut.md", 0)
    os.utime(tree / "shut.md", (1, 1))
    try:
        told = run(*arguments, cwd=tree.parent, as_root=False).json
    finally:
        os.chmod(tree / "locked", 0o755)
    reasons = {one["file"]: one["reason"] for one in told["skipped"]}
    assert reasons["locked"] == reasons["shut.md"] == "cannot be read: Permission denied"
    assert (told["removed"], told["unchanged"]) == (0, 3)


def _best(lamina: Call, question: str) -> list[str]:
    hits = lamina("recall", question, "--layer", "source", "--json").json["hits"]
    return [str(hit["record"]["key"]) for hit in hits[:3]]


def test_this_projects_documents_are_found_and_followed(lamina: Call, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    shutil.copytree(ROOT / "docs", docs, ignore=shutil.ignore_patterns("images"))
    first = lamina("index", str(docs), "--json").json
    assert first["files"] == first["indexed"] >= 15
    assert first["skipped"] == []
    page = "docs/architecture.md#Architecture > "
    assert f"{page}What the doctor believes~1" in _best(lamina, "what does the doctor believe?")
    assert f"{page}The life of an erase~1" in _best(lamina, "the life of an erase")

    text = (docs / "architecture.md").read_text(encoding="utf-8")
    text = text.replace("## What the doctor believes", "## What a zebra believes")
    (docs / "architecture.md").write_text(text, encoding="utf-8")
    os.rename(docs / "decisions/0004-keyword-index.md", docs / "decisions/renamed.md")
    (docs / "decisions/0005-erase-in-place.md").unlink()
    then = lamina("index", str(docs), "--json").json
    assert (then["indexed"], then["removed"]) == (2, 2)
    assert f"{page}What a zebra believes~1" in _best(lamina, "zebra")
    keys = [
        record["key"]
        for record in lamina("list", "--layer", "source", "--limit", "5000", "--json").json[
            "records"
        ]
    ]
    assert not [key for key in keys if "doctor believes" in key and "architecture" in key]
    assert not [key for key in keys if "0004" in key or "0005-erase" in key]
    assert [key for key in keys if key.startswith("docs/decisions/renamed.md#")]


def test_what_is_indexed_is_found_by_meaning_at_once(lamina: Call, tree: Path) -> None:
    write(tree, {f"f{n}.md": section(f"Part {n}", f"Says {n}") for n in range(60)})
    assert lamina("index", str(tree)).status == 0
    found = lamina("recall", "package manager")
    assert (found.status, found.err) == (0, "")
    assert lamina("index", str(tree), "--json").json["degraded"] == []


def test_what_waits_is_told_with_what_to_do_about_it(lamina: Call, tree: Path) -> None:
    write(tree, {f"f{n}.md": section(f"Part {n}", f"Says {n}") for n in range(200)})
    assert lamina("index", str(tree), "--no-vectors").status == 0
    [told] = [one for one in lamina("doctor").out.splitlines() if one.startswith("embedding")]
    assert " 0 pending" not in told
    assert "`lamina reindex`" in told
    assert "`lamina reindex`" in lamina("recall", "package manager").err


def test_what_is_hidden_or_secret_is_told_in_the_summary(lamina: Call, tree: Path) -> None:
    write(tree, {".env": "A=1", "key.pem": "x", "b.md": "the password is tangerine-42-Lagoon"})
    done = lamina("index", str(tree), "--project", "web")
    rows = dict(line.split("\t") for line in done.out.splitlines())
    assert (rows["skipped"], rows["secrets sealed"]) == ("3", "1")
    assert rows["scope"] == "project/web"
    assert "skipped .env: hidden" in done.err
    assert "skipped key.pem: a key" in done.err
    assert "!NAME in .laminaignore" in done.err
