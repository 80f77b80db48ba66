"""`lamina now`, `log` and `fact`: what is one's own."""

import json
from importlib import import_module
from pathlib import Path

import click
import pytest

from lamina.surfaces.cli.groups import Group
from lamina.surfaces.cli.table import COMMANDS
from tests.surfaces.shell import Call

FINN = ("--project", "web", "--as", "finn")
MAYA = ("--project", "web", "--as", "maya")


def _texts(answer_json: dict[str, list[dict[str, str]]]) -> list[str]:
    return [record["text"] for record in answer_json["records"]]


def test_now_is_said_shown_and_kept_in_part(lamina: Call) -> None:
    kept = lamina(*FINN, "now", "ship the parser", "--next", "write it", "--next", "test it")
    assert kept.status == 0
    assert "A new store was made" in kept.err
    shown = lamina(*FINN, "now").out.splitlines()
    assert shown[:3] == ["ship the parser", "  1. write it", "  2. test it"]
    assert "project/web/agent/finn" in shown[3]
    lamina(*FINN, "now", "--next", "test it")
    found = lamina(*FINN, "now", "--json").json
    assert (found["objective"], found["next_steps"]) == ("ship the parser", ["test it"])
    lamina(*FINN, "now", "--no-next")
    assert lamina(*FINN, "now", "--json").json["next_steps"] == []
    assert lamina(*FINN, "now", "--no-next", "--next", "x").status == 2


@pytest.mark.usefixtures("store")
def test_without_a_name_now_is_the_projects_or_everyones(lamina: Call) -> None:
    lamina(*FINN, "now", "ship the parser")
    lamina("--project", "web", "now", "release 2.0")
    lamina("now", "stay calm")
    said = {
        flags: (told["scope"], told["objective"])
        for flags in (FINN, ("--project", "web"), ())
        for told in [lamina(*flags, "now", "--json").json]
    }
    assert said == {
        FINN: ("project/web/agent/finn", "ship the parser"),
        ("--project", "web"): ("project/web", "release 2.0"),
        (): ("global", "stay calm"),
    }
    nothing = lamina(*MAYA, "now")
    assert (nothing.status, nothing.out) == (0, "")
    assert "project/web/agent/maya" in nothing.err


def test_the_log_is_added_to_and_has_a_tail(lamina: Call) -> None:
    for number in range(25):
        lamina(*FINN, "log", "add", f"thought {number}")
    lamina(*FINN, "log", "add", "exit status 2", "--kind", "ERROR", "--data", '{"status": 2}')
    assert _texts(lamina(*FINN, "log", "-n", "2", "--json").json) == ["thought 24", "exit status 2"]
    assert len(lamina(*FINN, "log").out.splitlines()) == 20
    [error] = lamina(*FINN, "log", "--kind", "ERROR", "--json").json["records"]
    assert error["data"] == {"status": 2}
    assert lamina(*FINN, "log", "tail", "--kind", "ERROR").out.endswith("\tERROR\texit status 2\n")
    assert lamina(*MAYA, "log", "--json").json["records"] == []
    assert "project/web/agent/maya" in lamina(*MAYA, "log").err


def test_facts_are_set_got_listed_and_forgotten(lamina: Call) -> None:
    assert lamina("fact", "set", "editor", "vim", "--category", "preference").status == 0
    lamina("fact", "set", "editor", "helix", "--category", "preference")
    lamina("fact", "set", "shell", "fish")
    assert lamina("fact", "get", "editor").out == "helix\n"
    assert lamina("fact", "get", "editor", "--json").json["rev"] == 2
    listed = [row.split("\t")[:3] for row in lamina("fact").out.splitlines()]
    assert listed == [["shell", "fish", "general"], ["editor", "helix", "preference"]]
    found = lamina("fact", "list", "--category", "preference", "--json").json
    assert _texts(found) == ["helix"]
    assert lamina("fact", "set", "editor", "ed", "--expect", "1").status == 5
    gone = lamina("fact", "forget", "editor", "--json").json
    assert lamina("fact", "get", "editor").status == 3
    lamina("undo", gone["tx"])
    assert lamina("fact", "get", "editor").out == "helix\n"


def test_a_projects_facts_are_not_an_agents_own(lamina: Call) -> None:
    lamina("--project", "web", "fact", "set", "port", "8080")
    lamina(*FINN, "fact", "set", "port", "9090")
    assert lamina("--project", "web", "fact", "get", "port").out == "8080\n"
    assert lamina(*FINN, "fact", "get", "port").out == "9090\n"
    assert lamina(*MAYA, "fact", "get", "port").status == 3


GROUPS = ["log", "fact", "blackboard", "episodes", "artifacts", "tasks", "config"]


@pytest.mark.parametrize("name", GROUPS)
def test_every_command_of_a_group_takes_the_global_options_and_has_help(
    name: str, lamina: Call
) -> None:
    module, _, attribute = COMMANDS[name].place.partition(":")
    group = getattr(import_module(f"lamina.surfaces.cli.{module}"), attribute)
    assert isinstance(group, Group)
    assert group.usual in group.commands
    for called, command in group.commands.items():
        assert isinstance(command, click.Command)
        taken = {option for parameter in command.params for option in parameter.opts}
        assert taken >= {"--dir", "--project", "--json", "--as", "--role", "--quiet"}
        assert (command.help or "").strip()
        assert lamina("help", name, called).out == lamina(name, called, "--help").out


@pytest.mark.parametrize(
    "arguments",
    [
        ("now", "x"),
        ("log", "add", "x"),
        ("fact", "set", "k", "v"),
        ("blackboard", "publish", "k", "v"),
        ("blackboard", "declare", "n:", "n:a=text"),
        ("episodes", "record", "t", "failed"),
        ("artifacts", "register", "FILE", "--task", "t", "--workspace", "FOLDER"),
        ("tasks", "add", "t", "x"),
        ("tasks", "move", "known", "active"),
    ],
    ids=" ".join,
)
def test_who_only_reads_writes_nothing(
    arguments: tuple[str, ...], lamina: Call, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    places = {"FILE": str(tmp_path / "file"), "FOLDER": str(tmp_path)}
    lamina("--project", "web", "tasks", "add", "known", "x")
    before = lamina("export", "--history").out
    reader = ("--project", "web", "--role", "reader", "--json")
    refused = lamina(*reader, *(places.get(word, word) for word in arguments))
    assert (refused.status, refused.json["error"]["code"]) == (4, "forbidden")
    assert lamina("export", "--history").out == before


def test_nothing_that_was_kept_steers_a_terminal(lamina: Call) -> None:
    evil = "\x1b[31mred\u202e"
    lamina("now", evil, "--next", evil)
    lamina("log", "add", evil)
    lamina("fact", "set", "k", evil)
    lamina("blackboard", "publish", "k", evil)
    lamina("tasks", "add", "t", evil)
    lamina("episodes", "record", "t", "failed", evil, "--approach", evil)
    for command in (
        ("now",), ("log",), ("fact",), ("fact", "get", "k"), ("blackboard",),
        ("blackboard", "get", "k"), ("tasks",), ("tasks", "show", "t"), ("episodes",),
        ("episodes", "rates"), ("now", "--json"), ("blackboard", "--json"),
    ):  # fmt: skip
        shown = lamina(*command).out
        assert "red" in shown, command
        assert not {"\x1b", "\u202e"} & set(shown), command


@pytest.mark.parametrize("group", ["log", "fact", "blackboard", "episodes", "artifacts", "tasks"])
@pytest.mark.usefixtures("store")
def test_a_group_alone_does_what_its_usual_command_does(group: str, lamina: Call) -> None:
    usual = "tail" if group == "log" else "list"
    alone = lamina(group, "--json")
    assert alone.status == 0
    assert alone.out == lamina(group, usual, "--json").out == lamina(group, "--json", usual).out
    assert f"`lamina {group} {usual}`" in " ".join(lamina(group, "--help").out.split())
    wrong = lamina(group, usual + "s")
    assert wrong.status == 2
    assert f"did you mean `{usual}`" in wrong.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("now",),
        ("log",),
        ("fact", "get", "k"),
        ("blackboard",),
        ("episodes", "rates"),
        ("artifacts", "verify"),
        ("tasks", "move", "t", "done"),
    ],
    ids=" ".join,
)
def test_reading_makes_no_store(arguments: tuple[str, ...], lamina: Call) -> None:
    answer = lamina(*arguments, "--json")
    assert (answer.status, answer.json["error"]["code"]) == (3, "not_found")


def test_an_empty_answer_is_one_document(lamina: Call) -> None:
    lamina("remember", "x")
    for group in ("log", "fact", "episodes", "artifacts", "tasks"):
        assert json.loads(lamina(group, "--json").out) == {"records": [], "total": 0}
        assert lamina(group, "--quiet") == (0, "", "")
    assert lamina("blackboard", "--json").json == {"signals": []}


def test_who_sees_nothing_hears_where_an_agents_own_is(lamina: Call) -> None:
    lamina(*FINN, "log", "add", "hm")
    for group in ("now", "log", "fact"):
        assert "--as NAME" in lamina("--project", "web", group).err
        assert "--as NAME" not in lamina(*MAYA, group).err


def test_a_name_that_is_none_is_named_by_its_option(lamina: Call) -> None:
    lamina("remember", "x")
    assert "`--as`" in lamina("--as", "Finn B", "now").err
    assert "`--agent`" in lamina("init", "--agent", "Finn B").err
