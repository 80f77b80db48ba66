"""`lamina blackboard`: signals by key, from one process to another."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.surfaces.shell import PROGRAM, Call, clean_environment, run

WEB = ("--project", "web")


def test_values_are_json_where_they_can_be(lamina: Call) -> None:
    told = {
        "a": ("done", "done"),
        "b": ('{"files": 3}', {"files": 3}),
        "c": ("42", 42),
        "d": ('"42"', "42"),
        "e": ("{broken", "{broken"),
    }
    for key, (typed, _) in told.items():
        assert lamina(*WEB, "blackboard", "publish", key, typed).status == 0
    signals = lamina(*WEB, "blackboard", "--json").json["signals"]
    assert {one["key"]: one["value"] for one in signals} == {k: v for k, (_, v) in told.items()}
    assert lamina(*WEB, "blackboard", "get", "b").out == '{"files":3}\n'
    assert lamina(*WEB, "blackboard", "get", "a").out == "done\n"


def test_keys_are_listed_by_prefix_and_cleared(lamina: Call) -> None:
    for key in ("task:a:status", "task:b:status", "build"):
        lamina(*WEB, "--as", "finn", "blackboard", "publish", key, "done")
    listed = lamina(*WEB, "blackboard", "list", "task:", "--quiet").out.splitlines()
    assert listed == ["task:a:status", "task:b:status"]
    [row] = lamina(*WEB, "blackboard", "list", "build").out.splitlines()
    assert row.split("\t")[:3] == ["build", "done", "finn"]
    assert lamina(*WEB, "blackboard", "clear", "build").status == 0
    assert lamina(*WEB, "blackboard", "get", "build").status == 3
    assert lamina(*WEB, "blackboard", "clear", "build").status == 3
    assert lamina("blackboard", "--json").json == {"signals": []}


def test_publish_compares_and_forgets_in_time(lamina: Call) -> None:
    first = lamina(*WEB, "blackboard", "publish", "lock", "finn", "--expect", "0", "--ttl", "1h")
    assert first.status == 0
    assert lamina(*WEB, "blackboard", "publish", "lock", "maya", "--expect", "0").status == 5
    assert lamina(*WEB, "blackboard", "get", "lock", "--json").json["expires_at"] is not None
    assert lamina(*WEB, "blackboard", "publish", "lock", "maya", "--expect", "1").status == 0


def test_what_departs_from_the_declared_is_warned_of_or_refused(lamina: Call) -> None:
    keys = ("task:{id}:status=text", "task:{id}:progress=object")
    assert lamina(*WEB, "blackboard", "declare", "task:", *keys).status == 0
    odd = lamina(*WEB, "blackboard", "publish", "task:a:state", "done")
    assert odd.status == 0
    assert "task:a:state" in odd.err
    told = lamina(*WEB, "blackboard", "publish", "task:a:status", "3", "--json").json
    assert len(told["drift"]) == 1
    assert lamina(*WEB, "blackboard", "publish", "task:a:x", "1", "--strict").status == 2
    assert lamina(*WEB, "blackboard", "get", "task:a:x").status == 3
    assert lamina(*WEB, "blackboard", "publish", "task:a:status", "done", "--json").json[
        "drift"
    ] == []  # fmt: skip


@pytest.mark.parametrize("key", ["task:{id}:status", "=text", "a=", "a=poem"])
@pytest.mark.usefixtures("store")
def test_a_declaration_has_a_form(key: str, lamina: Call) -> None:
    assert lamina(*WEB, "blackboard", "declare", "task:", key).status == 2


def test_waiting_ends_with_a_signal_or_with_patience(lamina: Call) -> None:
    lamina(*WEB, "blackboard", "publish", "a", "done")
    assert lamina(*WEB, "blackboard", "wait", "a", "--timeout", "30").out == "done\n"
    nothing = lamina(*WEB, "blackboard", "wait", "b", "--timeout", "0")
    assert (nothing.status, nothing.out) == (1, "")
    assert "b" in nothing.err
    assert lamina(*WEB, "blackboard", "wait", "b", "--timeout", "0", "--json").json is None
    assert lamina(*WEB, "blackboard", "wait", "b", "--timeout", "-1").status == 2


def test_another_process_is_woken(tmp_path: Path) -> None:
    run("init", "--project", "web", cwd=tmp_path)
    waiting = subprocess.Popen(
        [*PROGRAM, "blackboard", "wait", "task:a:status", "--timeout", "40"],
        cwd=tmp_path, env=clean_environment(tmp_path), stdout=subprocess.PIPE,
    )  # fmt: skip
    run("blackboard", "publish", "task:a:status", "done", cwd=tmp_path)
    out, _ = waiting.communicate(timeout=50)
    assert (waiting.returncode, out) == (0, b"done\n")


def test_watching_goes_on_from_a_cursor(lamina: Call) -> None:
    lamina(*WEB, "blackboard", "publish", "task:a", "1")
    start = lamina(*WEB, "watch", "--once", "--json").out.splitlines()[-1]
    cursor = json.loads(start)["cursor"]
    lamina(*WEB, "blackboard", "publish", "task:a", "2")
    lamina(*WEB, "blackboard", "publish", "other", "3")
    lamina(*WEB, "remember", "nothing to do with it")
    lamina(*WEB, "blackboard", "clear", "task:a")
    follow = (*WEB, "blackboard", "watch", "task:", "--timeout", "0", "--after")
    seen = [json.loads(row) for row in lamina(*follow, cursor, "--json").out.splitlines()]
    assert [one["signal"] and one["signal"]["value"] for one in seen] == [2, None]
    assert {one["key"] for one in seen} == {"task:a"}
    rest = lamina(*follow, seen[0]["cursor"])
    assert rest.out == "task:a\tcleared\t-\n"
    assert "lamina blackboard watch task: --dir" in rest.err
    assert lamina(*follow, seen[1]["cursor"]).out == ""


def test_a_watch_that_goes_on_shows_each_change_once(tmp_path: Path) -> None:
    run("init", "--project", "web", cwd=tmp_path)
    watching = subprocess.Popen(
        [*PROGRAM, "blackboard", "watch", "task:", "--timeout", "50"],
        cwd=tmp_path, env=clean_environment(tmp_path),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        # A shell that runs the tests in the background has them ignore interrupts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    assert watching.stderr is not None
    assert watching.stdout is not None
    assert b"Watching" in watching.stderr.readline()
    run("blackboard", "publish", "task:first", "done", cwd=tmp_path)
    run("remember", "nothing to do with it", cwd=tmp_path)
    run("blackboard", "publish", "task:last", "done", cwd=tmp_path)
    seen = [watching.stdout.readline() for _ in range(2)]
    watching.send_signal(signal.SIGINT)
    out, err = watching.communicate(timeout=50)
    assert [row.split(b"\t")[0] for row in seen] == [b"task:first", b"task:last"]
    assert out == b""
    assert b"resume with" in err
