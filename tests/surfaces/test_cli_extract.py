"""`lamina extract` and `lamina items`: the counts, the list, and cleaning up by hand."""

from pathlib import Path

import pytest

from tests.sources.trees import write
from tests.surfaces.shell import Call

PAGE = "# Plan\n\nWe chose SQLite over Postgres because one file is enough.\n\n- [ ] Measure it\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    write(folder, {"plan.md": PAGE, "a.md": b"\0"})
    return folder


def test_the_summary_counts_by_kind(lamina: Call, tree: Path) -> None:
    done = lamina("extract", str(tree), "--project", "web")
    rows = dict(line.split("\t") for line in done.out.splitlines())
    assert rows == {
        "files": "1", "decision items": "1", "note items": "1", "task items": "1", "added": "3",
        "replaced": "0", "unchanged": "0", "expired": "0", "kept out by hand": "0", "skipped": "1",
        "secrets sealed": "0", "scope": "project/web",
    }  # fmt: skip
    assert "skipped a.md: not text" in done.err


def test_json_has_everything(lamina: Call, tree: Path) -> None:
    assert lamina("extract", str(tree), "--json").json == {
        "applied": True, "root": "tree", "scope": "global", "files": 1, "added": 3, "replaced": 0,
        "unchanged": 0, "expired": 0, "kept_out": 0, "proposed": 0,
        "kinds": {"decision": 1, "note": 1, "task": 1}, "sealed": 0,
        "skipped": [{"file": "a.md", "reason": "not text"}], "notes": [], "degraded": [],
    }  # fmt: skip
    assert lamina("extract", str(tree), "--json").json["unchanged"] == 3


def test_a_dry_run_changes_nothing(lamina: Call, store: Path, tree: Path) -> None:
    assert "would be added\t3" in lamina("extract", str(tree), "--dry-run").out
    assert lamina("items", "--json").json["total"] == 0


def test_items_are_listed_with_file_and_line(lamina: Call, tree: Path) -> None:
    lamina("extract", str(tree))
    [row] = lamina("items", "--type", "task").out.splitlines()
    assert row.split("\t")[1:] == ["task", "plan.md:5", "0.95", "Measure it"]
    assert len(lamina("items", "--file", "plan.md", "--json").json["records"]) == 3
    assert lamina("items", "--file", "other.md").out == ""
    best = lamina("items", "SQLite or Postgres?", "--json").json["records"][0]
    assert best["kind"] == "decision"
    assert lamina("items", "--type", "poem").status == 2


def test_an_item_is_removed_by_hand_and_stays_out(lamina: Call, tree: Path) -> None:
    lamina("extract", str(tree))
    item = lamina("items", "--type", "task", "--quiet").out.strip()
    assert lamina("forget", item).status == 0
    write(tree, {"plan.md": "In front.\n\n" + PAGE})
    again = lamina("extract", str(tree), "--json").json
    assert (again["kept_out"], again["replaced"]) == (1, 2)
    assert lamina("items", "--type", "task").out == ""
    assert lamina("extract", str(tree), "--all", "--json").json["added"] == 1
    assert lamina("items", "--type", "task", "--quiet").out.strip() == item


def test_items_do_not_swamp_the_list(lamina: Call, tree: Path) -> None:
    lamina("remember", "Ann drinks tea")
    lamina("extract", str(tree))
    listed = lamina("list")
    assert "Ann" in listed.out
    assert "SQLite" not in listed.out
    assert "3 items of files are not listed; --layer item lists them" in listed.err
    assert "SQLite" in lamina("list", "--layer", "item").out


def test_an_agent_does_not_extract(lamina: Call, store: Path, tree: Path) -> None:
    refused = lamina("extract", str(tree), "--as", "finn", "--project", "web")
    assert refused.status == 4
    assert "only an admin extracts" in refused.err
