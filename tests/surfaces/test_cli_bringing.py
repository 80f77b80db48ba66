"""`lamina import` of what other tools exported, as a person and a program meet it."""

import json
from pathlib import Path

import pytest

from tests.importing.formats.samples import BREAD, GRAPH, MEM0, written
from tests.surfaces.shell import Call, run


def test_an_import_says_what_it_took_it_for(lamina: Call, tmp_path: Path) -> None:
    file = written(tmp_path, "memory.jsonl", GRAPH + "nonsense\n")
    answer = lamina("import", str(file), "--project", "web")
    assert answer.status == 2
    assert answer.out == "format\tserver-memory\nadded\t3\nfailed\t1\nscope\tproject/web\n"
    assert "failed item 4, line 4: not JSON" in answer.err
    again = lamina("import", str(file), "--project", "web", "--json")
    assert again.status == 2
    told = again.json
    assert told["counts"] == {"unchanged": 3, "failed": 1}
    assert (told["format"], told["scope"], told["applied"]) == (
        "server-memory",
        "project/web",
        True,
    )
    assert (told["problems"][0]["line"], told["problems"][0]["item"]) == (4, 4)
    assert lamina("import", str(file), "--quiet").out == ""


def test_a_dry_run_shows_samples_and_writes_nothing(
    lamina: Call, store: Path, tmp_path: Path
) -> None:
    file = written(tmp_path, "conversations.json", [BREAD])
    answer = lamina("import", str(file), "--dry-run")
    assert answer.status == 0
    assert answer.out.splitlines()[:5] == [
        "format\tchatgpt", "added\t2", "left\t1", "sessions\t1", "scope\tglobal"
    ]  # fmt: skip
    assert "item 1, line 1\tadded\tchatgpt-c1\tHow do I feed a sourdough starter?" in answer.out
    assert "1 × on a branch that was not shown last" in answer.err
    assert lamina("list", "--layer", "session").out == ""


def test_it_is_found_afterwards(lamina: Call, tmp_path: Path) -> None:
    lamina("import", str(written(tmp_path, "a.json", [BREAD])))
    lamina("import", str(written(tmp_path, "b.json", MEM0)))
    assert "sourdough" in lamina("recall", "sourdough starter", "--layer", "session").out
    assert "Rex" in lamina("recall", "what is the dog called?").out


def test_rows_are_mapped(lamina: Call, tmp_path: Path) -> None:
    file = written(tmp_path, "rows.csv", "what,name\nTea is green,tea\n")
    assert "--map text=COLUMN" in lamina("import", str(file)).err
    mapped = ["--map", "text=what", "--map", "key=name"]
    assert lamina("import", str(file), *mapped).status == 0
    assert lamina("get", "tea", "-q").out == "Tea is green\n"


@pytest.mark.parametrize(
    "flags",
    [["--format", "nonsense"], ["--map", "text"], ["--map", "colour=x"], ["--map", "text=memory"],
     ["--format", "claude", "--map", "text=x"], ["--as", "finn"], ["--scope", "nonsense"]],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(lamina: Call, tmp_path: Path, flags: list[str]) -> None:
    answer = lamina("import", str(written(tmp_path, "b.csv", "x\ny\n")), *flags)
    assert answer.status in (2, 4), answer
    assert answer.err


def test_a_pipe_will_do(tmp_path: Path) -> None:
    lines = "\n".join(json.dumps(one) for one in MEM0["results"]).encode()
    answer = run("--dir", "s", "import", "-", "--json", cwd=tmp_path, stdin=lines)
    assert (answer.status, answer.json["counts"]) == (0, {"added": 2}), answer.err
