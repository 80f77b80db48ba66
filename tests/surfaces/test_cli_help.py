"""Help by a command of that name, and the exit statuses."""

import pytest

from lamina.surfaces import wire
from lamina.surfaces.cli import main as program
from lamina.surfaces.cli.table import COMMANDS
from tests.surfaces.shell import Call


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_what_the_option_shows(name: str, lamina: Call) -> None:
    assert lamina("help", name).out == lamina(name, "--help").out


def test_help_alone_lists_the_commands(lamina: Call) -> None:
    assert lamina("help").out == lamina("--help").out


def test_help_follows_a_group(lamina: Call) -> None:
    assert lamina("help", "bench", "write").out == lamina("bench", "write", "--help").out
    assert lamina("help", "bench", "beauty").status == 2


def test_help_suggests_the_command_that_was_meant(lamina: Call) -> None:
    answer = lamina("help", "rekall")
    assert answer.status == 2
    assert "`recall`" in answer.err


def test_every_exit_status_has_a_meaning() -> None:
    used = {0, wire.DAMAGED, program.INTERRUPTED, program.PIPE_CLOSED, *wire.EXIT.values()}
    assert set(wire.MEANINGS) == used


def test_the_meanings_stand_in_the_docstring_and_in_the_help(lamina: Call) -> None:
    rows = [f"    {number:<3}  {meaning}\n" for number, meaning in wire.MEANINGS.items()]
    assert "".join(rows) in (wire.__doc__ or "")
    shown = lamina("help", "exit-codes").out.splitlines()
    assert shown == [f"{number}\t{meaning}" for number, meaning in wire.MEANINGS.items()]
    assert set(lamina("help", "exit-codes", "--json").json["exit_codes"]) == {
        str(number) for number in wire.MEANINGS
    }
    assert "lamina help exit-codes" in lamina("--help").out
