"""`lamina capsule`: make, verify, search and import, in words and as JSON."""

from pathlib import Path

import pytest

from tests.surfaces.shell import Call, run


@pytest.fixture
def noted(lamina: Call) -> Call:
    """`lamina` on a store in which finn has noted something on a task."""
    place = ("--scope", "project/web/agent/finn/task/t-1", "--layer", "notebook")
    lamina("remember", "the lexer drops tabs", *place)
    lamina("remember", "twelve tests pass", *place)
    return lamina


def test_a_notebook_goes_from_store_to_store(noted: Call, tmp_path: Path) -> None:
    file = str(tmp_path / "t-1.capsule")
    made = noted("--project", "web", "capsule", "make", "t-1", file, "--agent", "finn", "--json")
    assert (made.status, made.json["records"], made.json["agent"]) == (0, 2, "finn")
    checked = noted("capsule", "verify", file, "--json")
    assert checked.json == made.json
    other = str(tmp_path / "other")
    first = noted("--dir", other, "--project", "shop", "capsule", "import", file, "--json")
    assert (first.json["added"], first.json["own"]) == (2, False)
    again = noted("--dir", other, "--project", "shop", "capsule", "import", file, "--json")
    assert (again.json["added"], again.json["unchanged"]) == (0, 2)
    shown = noted("--dir", other, "list", "--layer", "notebook", "--json").json
    assert {one["trust"] for one in shown["records"]} == {"file"}


def test_a_capsule_is_searched_where_there_is_no_store(noted: Call, tmp_path: Path) -> None:
    file = str(tmp_path / "c")
    noted("--as", "finn", "--project", "web", "capsule", "make", "t-1", file)
    empty = tmp_path / "empty"
    empty.mkdir()
    answer = run("capsule", "search", file, "lexer", "tabs", "--words-only", "--json", cwd=empty)
    assert [hit["record"]["text"] for hit in answer.json["hits"]] == ["the lexer drops tabs"]
    assert "the lexer drops tabs" in noted("capsule", "search", file, "lexer", "tabs").out
    assert "Nothing relevant" in noted("capsule", "search", file, "herring", "--words-only").out
    assert list(empty.iterdir()) == []


def test_damage_is_told_and_nothing_is_taken(noted: Call, tmp_path: Path) -> None:
    file = tmp_path / "c"
    noted("--as", "finn", "--project", "web", "capsule", "make", "t-1", str(file))
    assert "whole" in noted("capsule", "verify", str(file)).out
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b"drops", b"keeps"))
    for command in (("verify",), ("import",), ("search",)):
        more = ("lexer",) if command == ("search",) else ()
        answer = noted("capsule", *command, str(file), *more)
        assert answer.status == 7
        assert "damaged" in answer.err
        assert "Traceback" not in answer.err
    file.write_bytes(whole[:100])
    assert noted("capsule", "verify", str(file)).status == 7


def test_a_file_is_replaced_only_when_told_so(noted: Call, tmp_path: Path) -> None:
    file = str(tmp_path / "c")
    make = ("--as", "finn", "--project", "web", "capsule", "make", "t-1", file)
    assert noted(*make).status == 0
    assert noted(*make).status == 2
    assert noted(*make, "--replace").status == 0
    assert noted("capsule", "make", "t-9", str(tmp_path / "d")).status == 3
    assert noted(*make, "--agent", "maya").status == 2
