"""What `lamina list` and an empty answer tell a person."""

from pathlib import Path

import pytest

from tests.sources.trees import section, write
from tests.surfaces.shell import Call, on_terminal


@pytest.fixture
def indexed(lamina: Call, tmp_path: Path) -> Path:
    """A store with one memory and the pieces of two files."""
    tree = tmp_path / "tree"
    write(tree, {f"{n}.md": section(f"Part {n}", f"Says {n}") for n in range(2)})
    lamina("remember", "Ann drinks tea", "--kind", "preference")
    assert lamina("index", str(tree)).status == 0
    return tmp_path / "store"


def _kinds(lamina: Call, *options: str) -> list[str]:
    return sorted(one["kind"] for one in lamina("list", *options, "--json").json["records"])


@pytest.mark.usefixtures("indexed")
def test_files_do_not_swamp_the_list(lamina: Call) -> None:
    assert _kinds(lamina) == ["preference"]
    assert lamina("list", "--json").json["total"] == 1
    assert _kinds(lamina, "--layer", "source") == ["chunk", "chunk"]
    assert _kinds(lamina, "--kind", "file") == ["file", "file"]
    assert _kinds(lamina, "--layer", "source", "--kind", "root") == ["root"]
    assert _kinds(lamina, "--layer", "source", "--layer", "knowledge").count("chunk") == 2


@pytest.mark.usefixtures("indexed")
def test_the_list_says_that_there_are_pieces_of_files(lamina: Call) -> None:
    told = lamina("list").err
    assert "2 pieces of files" in told
    assert "--layer source" in told
    assert lamina("list", "--quiet").err == lamina("list", "--layer", "source").err == ""
    lamina("remember", "two words", "--project", "web")
    assert lamina("list", "--project", "web").err.count("pieces") == 1, "global is within reach"
    assert lamina("list", "--scope", "project/web").err == ""


def test_a_terminal_shows_the_first_line_of_a_text(indexed: Path, lamina: Call) -> None:
    lamina("remember", "first\n\nsecond")
    shown = on_terminal("--dir", str(indexed), "list", cwd=indexed.parent).out
    assert "first …" in shown
    assert "second" not in shown
    assert "\\n" not in shown
    assert "Ann drinks tea …" not in shown
    # A program gets all of it in one column.
    assert "first\\n\\nsecond" in lamina("list").out


def test_a_memory_without_a_text_shows_its_data(store: Path, lamina: Call) -> None:
    lamina("remember", "--data", '{"status": "open"}', "--layer", "task", "--key", "t-1")
    shown = on_terminal("--dir", str(store), "list", cwd=store.parent).out
    assert '{"status":"open"}' in shown


# -- when there is nothing


@pytest.mark.parametrize("command", [("recall", "beta"), ("list",), ("query", "{}")])
def test_a_project_that_holds_nothing_is_named(lamina: Call, command: tuple[str, ...]) -> None:
    lamina("remember", "beta is out", "--project", "harbor")
    wrong = lamina("--project", "harbro", *command)
    assert wrong.status == 0
    assert "The project harbro holds nothing; did you mean harbor?" in wrong.err
    assert "holds nothing" not in lamina("--project", "harbor", *command).err
    far = lamina("--project", "kitchen", *command).err
    assert far.strip().endswith("The project kitchen holds nothing")
    scoped = lamina(*command, "--scope", "project/kitchen/task/t-7").err
    assert "The project kitchen holds nothing" in scoped
    assert lamina("--project", "harbro", *command, "--quiet").err == ""


def test_an_agent_hears_of_no_other_project(lamina: Call) -> None:
    lamina("remember", "beta is out", "--project", "harbor")
    told = lamina("--project", "harbro", "--as", "finn", "list").err
    assert "The project harbro holds nothing\n" in told
    assert "harbor" not in told


@pytest.mark.parametrize("command", [("recall", "beta"), ("list",), ("query", "{}")])
def test_a_time_before_everything_is_named(lamina: Call, command: tuple[str, ...]) -> None:
    lamina("remember", "beta is out", "--project", "web")
    then = lamina("--project", "web", *command, "--as-of", "1h")
    assert then.status == 0
    assert "Nothing was there yet at that time" in then.err
    assert "yet" not in lamina("--project", "web", *command, "--as-of", "0s").err
    assert "yet" not in lamina("--project", "web", "recall", "the colour of the sea").err


def test_how_files_are_arranged_is_no_memory_to_list(lamina: Call) -> None:
    lamina(
        "remember", "the order of things", "--layer", "now", "--kind", "frame", "--key", "file:x"
    )
    lamina("remember", "a frame of oak", "--kind", "frame")
    assert [one["text"] for one in lamina("list", "--json").json["records"]] == ["a frame of oak"]
    assert lamina("list", "--json").json["total"] == 1
    assert lamina("list", "--kind", "frame", "--json").json["total"] == 2
