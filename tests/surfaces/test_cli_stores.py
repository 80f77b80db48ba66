"""Which commands make a store, where, and what they say when there is none."""

from pathlib import Path

import pytest

from tests.surfaces.shell import Call, run

NEED_ONE = [
    ("recall", "tea"),
    ("why-not", "k", "tea"),
    ("reindex",),
    ("reindex", "--embedder", "static"),
    ("list",),
    ("get", "k"),
    ("query", "{}"),
    ("history", "k"),
    ("edit", "k", "--text", "x"),
    ("forget", "k"),
    ("undo", "0" * 26),
    ("accept", "0" * 26),
    ("reveal", "k", "secret://" + "a" * 26),
    ("erase", "k", "--yes"),
    ("export",),
    ("export", "out.jsonl"),
    ("backup", "b"),
    ("doctor",),
    ("doctor", "--repair"),
    ("config",),
    ("config", "set", "secrets.seal", "off"),
]


@pytest.mark.parametrize("arguments", NEED_ONE, ids=" ".join)
def test_a_command_that_needs_a_store_makes_none(
    arguments: tuple[str, ...], lamina: Call, tmp_path: Path
) -> None:
    answer = lamina(*arguments)
    assert (answer.status, answer.out) == (3, "")
    assert f"there is no store in {tmp_path / 'store'}" in answer.err
    assert "`lamina init`" in answer.err
    as_json = lamina(*arguments, "--json")
    assert (as_json.status, as_json.json["error"]["code"]) == (3, "not_found")
    assert list(tmp_path.iterdir()) == []


def test_a_directory_without_a_store_is_no_store(lamina: Call, tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "config.toml").write_text('project = "web"\n')
    assert lamina("list").status == 3
    assert lamina("remember", "x").status == 0
    assert lamina("list").status == 0


def test_the_home_directory_is_named_when_it_was_looked_at(tmp_path: Path) -> None:
    answer = run("list", cwd=tmp_path)
    assert answer.status == 3
    assert f"{tmp_path / '.lamina'} (home directory)" in answer.err
    assert list(tmp_path.iterdir()) == []


def test_remember_and_import_say_where_they_made_a_store(lamina: Call, tmp_path: Path) -> None:
    first = lamina("remember", "x")
    assert first.err == f"A new store was made in {tmp_path / 'store'}\n"
    assert lamina("remember", "y").err == ""
    source = tmp_path / "in.jsonl"
    lamina("export", str(source))
    for number, flags in enumerate(((), ("--quiet",), ("--json",))):
        other = tmp_path / f"other-{number}"
        taken = lamina("--dir", str(other), "import", str(source), *flags)
        assert taken.err == ("" if flags else f"A new store was made in {other}\n")
    assert lamina("--dir", str(tmp_path / "third"), "remember", "x", "--json").err == ""


def test_an_import_of_no_file_makes_no_store(lamina: Call, tmp_path: Path) -> None:
    assert lamina("import", str(tmp_path / "missing.jsonl")).status == 2
    assert list(tmp_path.iterdir()) == []


def test_init_makes_a_store_and_keeps_what_is_there(tmp_path: Path) -> None:
    folder = tmp_path / "My Project"
    (folder / ".git").mkdir(parents=True)
    first = run("init", cwd=folder)
    assert first.status == 0
    assert "my-project" in first.out
    assert ".gitignore" in first.err
    assert run("remember", "here", "--key", "k", cwd=folder).status == 0
    assert run("init", "--json", cwd=folder).json["project"] == "my-project"
    (folder / "below").mkdir()
    assert run("get", "k", "--json", cwd=folder / "below").json["scope"] == "project/my-project"
    assert sorted(path.name for path in folder.iterdir()) == [".git", ".lamina", "below"]


def test_init_leaves_the_name_of_a_project_alone(tmp_path: Path) -> None:
    assert run("init", "--project", "web", cwd=tmp_path).status == 0
    refused = run("init", "--project", "web2", cwd=tmp_path)
    assert refused.status == 5
    assert "the project web\n" in refused.err
    assert "config.toml" in refused.err
    as_json = run("init", "--project", "web2", "--json", cwd=tmp_path)
    assert as_json.json["error"]["code"] == "conflict"
    assert run("init", "--project", "web", cwd=tmp_path).status == 0
    assert run("init", "--json", cwd=tmp_path).json["project"] == "web"
    assert (tmp_path / ".lamina" / "config.toml").read_text() == 'project = "web"\n'


def test_init_names_the_project_of_a_store_that_has_none(lamina: Call) -> None:
    lamina("remember", "x")
    assert lamina("init", "--project", "web", "--json").json["project"] == "web"
    assert lamina("config", "--json").json["project"]["value"] == "web"


def test_a_bad_name_makes_no_store(lamina: Call, tmp_path: Path) -> None:
    assert lamina("init", "--project", "Bad Name").status == 2
    assert lamina("--dir", "", "init").status == 2
    assert list(tmp_path.iterdir()) == []


def test_init_begins_the_memory_of_an_agent_once(lamina: Call) -> None:
    first = lamina("init", "--project", "web", "--agent", "finn", "--json").json
    assert (first["agent"], first["begun"]) == ("finn", True)
    finn = ("--as", "finn", "log", "--json")
    [entry] = lamina(*finn).json["records"]
    assert (entry["kind"], entry["text"]) == ("SYSTEM", "memory initialised")
    assert (entry["scope"], entry["source"]) == ("project/web/agent/finn", "finn")
    before = lamina("export", "--history").out
    assert lamina("init", "--agent", "finn", "--json").json["begun"] is False
    assert lamina("init", "--agent", "finn").out.endswith("The memory of finn is there.\n")
    assert lamina("export", "--history").out == before
    assert lamina("init", "--agent", "maya").out.endswith("The memory of maya begins.\n")


def test_init_adds_nothing_to_an_agent_that_has_memories(lamina: Call) -> None:
    lamina("init", "--project", "web")
    lamina("--as", "finn", "fact", "set", "editor", "helix")
    assert lamina("init", "--agent", "finn", "--json").json["begun"] is False
    assert lamina("--as", "finn", "log", "--json").json["records"] == []


@pytest.mark.parametrize("name", ["../x", "CON", "con", "a/b", "f\u0456nn", "", "user"])
def test_init_of_what_is_no_agent_makes_no_store(name: str, lamina: Call, tmp_path: Path) -> None:
    refused = lamina("init", "--project", "web", "--agent", name)
    assert (refused.status, refused.out) == (2, "")
    assert "`--agent`" in refused.err or "`user`" in refused.err
    assert list(tmp_path.iterdir()) == []
