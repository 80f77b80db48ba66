"""Nonsense for every option and every argument of every command: one line, and nothing is left."""

import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import click
import pytest

import lamina as package
from lamina.surfaces.cli.main import cli, main
from lamina.surfaces.cli.table import COMMANDS
from tests.scratch import scratch_folder
from tests.surfaces.shell import Answer, Call

STEERING = "\x1b[31mred"
NONSENSE = ("\udcff", "", "a\0b", "-1", "x" * 5_000, STEERING)
LONG_RUNNING = {"bench", "demo", "serve", "mcp", "ui"}
WAITING = {"wait", "watch"}
SAY_NO = {"wait", "verify"}
"""Their status 1 answers a question."""
REFUSED = (2, 3, 4, 5)


def _leaves(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _leaves(inner, (*path, name))
    else:
        yield path


def _found(path: tuple[str, ...]) -> click.Command:
    command: click.Command = cli
    for name in path:
        assert isinstance(command, click.Group)
        inner = command.get_command(click.Context(command), name)
        assert inner is not None
        command = inner
    return command


LEAVES = [*chain.from_iterable(_leaves(_found((one,)), (one,)) for one in COMMANDS)]
PATHS = [path for path in LEAVES if path[0] not in LONG_RUNNING]


def _calls(path: tuple[str, ...]) -> Iterator[list[str]]:
    """One call for each parameter and each nonsense, with something plain for the others."""
    command = _found(path)
    arguments = [one for one in command.params if isinstance(one, click.Argument)]
    plain = ["x" for one in arguments if one.required]
    patience = ["--timeout", "0.01"] if path[-1] in WAITING else []
    head = [*path, *patience]
    yield [*head, *plain, "--nonsense"]
    for option in command.params:
        if isinstance(option, click.Option) and not option.is_flag and option.name != "timeout":
            yield from ([*head, *plain, option.opts[-1], one] for one in NONSENSE)
    for at in range(len(arguments)):
        before = ["x"] * at
        after = ["x" for one in arguments[at + 1 :] if one.required]
        yield from ([*head, "--", *before, one, *after] for one in NONSENSE)


def _assert_told(answer: Answer, call: list[str]) -> None:
    said = [one[:40] for one in call], answer
    assert "Traceback" not in answer.err, said
    assert "unexpected" not in answer.err, said
    assert "\x1b[31m" not in answer.out + answer.err, said
    if answer.status == 0 or (answer.status == 1 and call[-1] != "--nonsense" and SAY_NO & {*call}):
        return
    # A directory may be called like most of these, and a store that was moved there stays there.
    assert answer.status in REFUSED or (call[0] == "migrate" and answer.status == 7), said
    assert answer.out == "", said
    first, *rest = answer.err.splitlines()
    assert first.startswith("Error: "), said
    assert len(rest) <= 1, said
    assert all(one.startswith("Try: ") for one in rest), said


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Thousands of calls open a store each, and most of them are refused."""
    with scratch_folder() as folder:
        yield folder


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder))
    with open(os.devnull, encoding="utf-8") as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        yield folder


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_nonsense_is_refused_in_one_line(path: tuple[str, ...], lamina: Call, here: Path) -> None:
    lamina("remember", "Deploys on Tuesdays", "--key", "x")
    for call in _calls(path):
        _assert_told(lamina(*call), call)


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_what_fails_leaves_no_store_behind(
    path: tuple[str, ...], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for call in _calls(path):
        before = {*here.rglob("*")}
        if main(call) != 0:
            made = {*here.rglob("*")} - before
            assert not made, ([one[:40] for one in call], made, capsys.readouterr())


WRITING = [
    ("now", STEERING, "--next", STEERING),
    ("log", "add", STEERING),
    ("fact", "set", "colour", STEERING),
    ("blackboard", "publish", "colour", STEERING),
    ("blackboard", "publish", "colours", f'{{"a": "{STEERING}"}}'),
    ("tasks", "add", "paint", STEERING, "--accept", STEERING),
    ("remember", STEERING, "--data", '{"title": "\\u001b[31mred", "file": "\\u001b[31mred"}'),
]
READING = ["now", "log", "fact list", "blackboard list", "tasks list", "tasks show paint", "list",
           "items", "episodes list", "artifacts list", "blackboard get colour", "fact get colour",
           "recall red", "history colour", "config show", "export"]  # fmt: skip


def test_what_a_layer_holds_cannot_steer_a_terminal(lamina: Call, here: Path) -> None:
    (here / "page.md").write_text(f"# Page {STEERING}\n\n- [ ] paint it {STEERING} and more\n")
    agent = ("--project", "web", "--as", "finn")
    for call in WRITING:
        answer = lamina(*call, *agent)
        assert answer.status == 0, (call, answer)
        assert STEERING not in answer.out + answer.err, call
    for path in ("extract", "import"):
        answer = lamina(path, str(here / "page.md"), "--project", "web")
        assert answer.status == 0, answer
        assert STEERING not in answer.out + answer.err, path
    for reading in READING:
        for more in ((), ("--json",), ("--quiet",)):
            answer = lamina(*reading.split(), *more, *agent)
            assert STEERING not in answer.out + answer.err, (reading, more)
        assert "unexpected" not in answer.err, reading


def test_a_folder_that_was_there_stays(lamina: Call, tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    assert lamina("remember", "").status == 2
    assert [*(tmp_path / "store").iterdir()] == []


def test_a_store_that_is_there_stays_whatever_fails(lamina: Call, store: Path) -> None:
    assert lamina("remember", "").status == 2
    assert (store / "lamina.db").exists()


def test_a_store_that_another_opened_meanwhile_stays(tmp_path: Path) -> None:
    from lamina.stores.sqlite.unused import remove_unused

    with package.open(tmp_path / "store") as memory:
        remove_unused(tmp_path / "store", whole=True)
        memory.remember("Deploys on Tuesdays", key="day")
    remove_unused(tmp_path / "store", whole=True)
    with package.open(tmp_path / "store") as memory:
        assert memory.get("day").text == "Deploys on Tuesdays"


def test_a_file_is_no_damaged_store(lamina: Call, tmp_path: Path) -> None:
    (tmp_path / "store").write_text("a file")
    answer = lamina("doctor")
    assert answer.status == 2
    assert "is a file, not a directory" in answer.err
