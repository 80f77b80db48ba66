"""The command line loads what a command needs and no more."""

import json
from importlib import import_module
from pathlib import Path
from runpy import run_module

import click
import pytest

from lamina.surfaces.cli.main import cli
from lamina.surfaces.cli.table import COMMANDS
from tests.meta.children import run_python
from tests.surfaces.shell import Call, run

HEAVY = ("anyio", "asyncio", "cryptography", "numpy", "pydantic", "rich")
LOADED = """
import json, sys
from lamina.surfaces.cli.main import main
main(json.loads(sys.argv[1]))
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def _loaded(*arguments: str) -> set[str]:
    child = run_python("-c", LOADED, json.dumps(arguments))
    return {name.partition(".")[0] for name in json.loads(child.stderr.splitlines()[-1])} | {
        name for name in json.loads(child.stderr.splitlines()[-1]) if name.startswith("lamina.")
    }


def test_help_imports_no_command() -> None:
    modules = _loaded("--help")
    places = {f"lamina.surfaces.cli.{entry.place.partition(':')[0]}" for entry in COMMANDS.values()}
    assert not modules & {*HEAVY, "apsw", *places}


@pytest.mark.parametrize("flags", [(), ("--json",), ("--quiet",)])
def test_get_stays_light(tmp_path: Path, flags: tuple[str, ...], lamina: Call) -> None:
    lamina("remember", "Deploys on Tuesdays", "--key", "day")
    modules = _loaded("--dir", str(tmp_path / "store"), "get", "day", *flags)
    assert "apsw" in modules
    assert not modules & set(HEAVY)


@pytest.mark.parametrize(
    "command",
    ["now", "log", "fact list", "blackboard list", "episodes list", "artifacts list", "tasks list",
     "items", "config show"],
)  # fmt: skip
def test_reading_a_layer_stays_light(tmp_path: Path, command: str, lamina: Call) -> None:
    lamina("remember", "Deploys on Tuesdays", "--project", "web")
    agent = ("--project", "web", "--as", "finn")
    modules = _loaded("--dir", str(tmp_path / "store"), *agent, *command.split())
    assert "apsw" in modules
    unneeded = {
        "decimal",
        "statistics",
        "lamina.writing",
        "lamina.sealing",
        "lamina.sources.follow",
    }
    assert not modules & {*HEAVY, *unneeded}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_agrees_with_the_command(name: str) -> None:
    module, _, attribute = COMMANDS[name].place.partition(":")
    command = getattr(import_module(f"lamina.surfaces.cli.{module}"), attribute)
    assert isinstance(command, click.Command)
    assert command.name == name
    assert (command.help or "").splitlines()[0] == COMMANDS[name].help


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str, lamina: Call) -> None:
    answer = lamina(name, "--help")
    assert answer.status == 0
    assert COMMANDS[name].help in answer.out


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "bench"])
def test_every_command_takes_the_global_options(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    taken = {option for parameter in command.params for option in parameter.opts}
    assert taken >= {"--dir", "--project", "--json", "--as", "--role", "--quiet"}


def test_the_version_is_told(lamina: Call) -> None:
    assert lamina("--version").out.startswith("lamina ")


def test_no_command_shows_the_help(tmp_path: Path) -> None:
    answer = run(cwd=tmp_path)
    assert answer.status == 2
    assert answer.out.startswith("Usage: lamina")


def test_a_misspelt_command_is_suggested(lamina: Call) -> None:
    answer = lamina("rember", "x")
    assert answer.status == 2
    assert "`remember`" in answer.err


def test_names_are_completed_from_the_table() -> None:
    found = cli.shell_complete(click.Context(cli), "re")
    assert [item.value for item in found] == ["remember", "recall", "reveal", "restore", "reindex"]


def test_the_package_runs_as_the_command_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["python -m lamina", "--version"])
    with pytest.raises(SystemExit) as ended:
        run_module("lamina", run_name="__main__")
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("lamina ")


def test_completing_a_name_stays_light() -> None:
    code = """
import json, sys
from lamina.surfaces.cli.main import cli
from lamina.surfaces.cli.session import Session
from click.shell_completion import ShellComplete
ShellComplete(cli, {"obj": Session()}, "lamina", "X").get_completions(["list", "--layer"], "")
print(json.dumps(sorted(sys.modules)))
"""
    modules = {name.partition(".")[0] for name in json.loads(run_python("-c", code).stdout)}
    assert not modules & {*HEAVY, "apsw"}
