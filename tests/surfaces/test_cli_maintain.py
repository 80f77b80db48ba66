"""`lamina maintain`, the settings behind it, and what `lamina doctor` says about the clock."""

import json
import signal
import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from lamina import clock, leasing
from lamina import open as open_memory
from lamina.core.scope import GLOBAL
from tests.surfaces.shell import PROGRAM, Call, clean_environment, on_terminal

TEN_YEARS = timedelta(days=3652)


@pytest.fixture
def ahead(monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], None]:
    """Sets the clock ahead, for commands that run in this process."""
    right = clock.now
    return lambda by: monkeypatch.setattr(clock, "now", lambda: right() + by)


def _history(lamina: Call, versions: int = 12) -> None:
    for number in range(versions):
        assert lamina("remember", f"value {number}", "--key", "k").status == 0


def test_maintenance_says_what_it_did(lamina: Call) -> None:
    _history(lamina)
    quiet = lamina("maintain")
    assert quiet.status == 0
    # Whose turn it is stands in the store too.
    assert "dropped 0 of 13 versions" in quiet.out
    assert "write-ahead log emptied" in quiet.out


def test_a_dry_run_changes_nothing_and_names_the_way_on(lamina: Call) -> None:
    _history(lamina)
    lamina("config", "set", "history.knowledge", "3")
    told = lamina("maintain", "--dry-run")
    assert told.status == 0
    assert "would drop 8 of 12 versions\t-\tknowledge" in told.out
    assert "--yes" in told.out
    versions = lamina("history", "k", "--json").json["versions"]
    assert all(version["record"] for version in versions)


def test_a_large_purge_needs_a_yes(lamina: Call) -> None:
    _history(lamina)
    lamina("config", "set", "history.knowledge", "3")
    refused = lamina("maintain")
    assert (refused.status, refused.out) == (2, "")
    assert "8 of the 12 versions kept (67%)" in refused.err
    assert "--yes" in refused.err
    done = lamina("maintain", "--yes", "--json")
    assert done.status == 0
    assert done.json["history"] == {
        "applied": True, "at": done.json["history"]["at"], "versions": 13, "pruned": 8,
        "layers": {"knowledge": {"versions": 12, "pruned": 8},
                   "blackboard": {"versions": 1, "pruned": 0}},
        "receipts": 0, "asks": True, "tidied": True,
    }  # fmt: skip
    assert (done.json["applied"], done.json["asks"], done.json["logs"]) == (True, [], 0)
    assert [one["name"] for one in done.json["plans"]] == [
        "promotion", "consolidation", "retention", "archiving", "eviction"
    ]  # fmt: skip


def test_an_error_is_json_when_that_was_asked_for(lamina: Call) -> None:
    _history(lamina)
    lamina("config", "set", "history.knowledge", "none")
    refused = lamina("maintain", "--json")
    assert refused.status == 2
    assert refused.json["error"]["code"] == "invalid_input"


def test_an_agent_maintains_nothing(lamina: Call) -> None:
    _history(lamina, 1)
    assert lamina("maintain", "--as", "finn", "--project", "web").status == 4


def test_there_is_nothing_to_maintain_where_there_is_no_store(lamina: Call) -> None:
    assert lamina("maintain").status == 3


@pytest.mark.parametrize(("typed", "status", "left"), [(b"n\n", 1, 12), (b"y\n", 0, 1)])
def test_on_a_terminal_it_asks(
    lamina: Call, store: Path, typed: bytes, status: int, left: int
) -> None:
    _history(lamina)
    lamina("config", "set", "history.knowledge", "none")
    shown = on_terminal("--dir", str(store), "maintain", cwd=store.parent, typed=typed)
    assert shown.status == status
    assert "11 of 12 versions" in shown.out
    versions = lamina("history", "k", "--json").json["versions"]
    assert sum(version["record"] is not None for version in versions) == left


def test_the_settings_say_what_they_take(lamina: Call, store: Path) -> None:
    assert lamina("config", "get", "history.blackboard").out == "30d\n"
    assert lamina("config", "set", "history.task", "90d").out == "90d\n"
    wrong = lamina("config", "set", "history.task", "a while")
    assert wrong.status == 2
    assert "16/30d" in wrong.err
    listed = lamina("config")
    assert "clock.accept\tnone\tdefault" in listed.out
    assert "history.task\t90d\tstore" in listed.out


def test_doctor_names_a_clock_that_is_not_believed_and_the_way_out(
    lamina: Call, ahead: Callable[[timedelta], None]
) -> None:
    lamina("remember", "a lease", "--key", "lease", "--expires", "30d")
    ahead(TEN_YEARS)
    assert lamina("get", "lease").status == 0
    told = lamina("doctor")
    assert told.status == 0
    [line] = [line for line in told.out.splitlines() if line.startswith("clock\t")]
    assert "the clock is 10 years ahead of the newest change; expiry waits" in line
    command = line.split("lamina ", 1)[1].split()
    assert command[:3] == ["config", "set", "clock.accept"]
    assert lamina(*command).status == 0
    assert lamina("get", "lease").status == 3
    assert "clock\tok" in lamina("doctor").out


def test_doctor_has_nothing_to_say_about_a_sane_clock(lamina: Call) -> None:
    lamina("remember", "a fact")
    assert "clock\tok" in lamina("doctor").out


def test_a_second_run_at_the_same_time_says_so(lamina: Call, store: Path) -> None:
    lamina("remember", "x")
    with open_memory(store) as mem, leasing.take(mem, "maintenance", scope=GLOBAL):
        busy = lamina("maintain")
        assert (busy.status, busy.out) == (75, "")
        assert "`maintenance` is being worked on by user" in busy.err
        assert lamina("maintain", "--dry-run").status == 0


def test_plans_are_told_and_carried_out_and_undone(
    lamina: Call, ahead: Callable[[timedelta], None]
) -> None:
    lamina("episodes", "record", "t-1", "completed", "done", "--project", "web")
    lamina("remember", "The kettle leaks", "--project", "web")
    lamina("remember", "the kettle leaks", "--project", "web")
    ahead(timedelta(days=40))
    told = lamina("maintain", "--dry-run", "--only", "retention", "--only", "consolidation")
    assert "consolidation\t2 of 3\t-\t" in told.out
    assert "\tarchive\t" in told.out
    assert "history" not in told.out
    done = lamina("maintain", "--json").json
    by_name = {one["name"]: one for one in done["plans"]}
    assert by_name["retention"]["steps"][0]["reason"] == "40 days old, 30 are kept"
    assert len(lamina("list", "--project", "web", "-q").out.split()) == 1
    assert lamina("undo", by_name["consolidation"]["tx"]).status == 0
    assert len(lamina("list", "--project", "web", "-q").out.split()) == 2
    refused = lamina("maintain", "--only", "nothing")
    assert (refused.status, refused.out) == (2, "")


def test_what_has_faded_goes_only_by_name_and_with_a_yes(
    lamina: Call, ahead: Callable[[timedelta], None]
) -> None:
    lamina("remember", "The kettle leaks", "--as", "finn", "--project", "web")
    ahead(timedelta(days=400))
    assert lamina("maintain", "--yes").status == 0
    refused = lamina("maintain", "--only", "stale")
    assert refused.status == 2
    assert "only proposes" in refused.err
    assert len(lamina("list", "--project", "web", "-q").out.split()) == 1
    assert lamina("maintain", "--only", "stale", "--yes").status == 0
    assert lamina("list", "--project", "web", "-q").out == ""


@pytest.mark.parametrize(
    ("number", "runs", "status"), [(signal.SIGINT, 2, 130), (signal.SIGTERM, 1, 0)]
)
def test_it_runs_again_and_again_until_it_is_interrupted(
    store: Path, lamina: Call, number: signal.Signals, runs: int, status: int
) -> None:
    lamina("remember", "x")
    assert lamina("maintain", "--every", "1h", "--dry-run").status == 2
    assert lamina("maintain", "--every", "soon").status == 2
    child = subprocess.Popen(
        [*PROGRAM, "--dir", str(store), "maintain", "--every", "1s", "--json"],
        stdout=subprocess.PIPE, env=clean_environment(store.parent),
    )  # fmt: skip
    assert child.stdout is not None
    told = [json.loads(child.stdout.readline()) for _ in range(runs)]
    child.send_signal(number)
    child.stdout.read()
    child.stdout.close()
    assert child.wait() == status
    assert [run["applied"] for run in told] == [True] * runs
