"""`lamina watch`: what other processes change, once and in order, however it is stopped."""

import json
import re
import shlex
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

import lamina as package
from lamina.core.cursor import parse_cursor
from lamina.surfaces import wire
from tests.surfaces.shell import PROGRAM, Answer, Call, clean_environment, on_terminal, run
from tests.surfaces.test_cli_terminal import EVIL, STEERING

INTERRUPTED = 130
PIPE_CLOSED = 141


class Watch:
    """A `lamina watch` in a process of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._child = subprocess.Popen(
            [*PROGRAM, "--dir", "store", "watch", *arguments],
            cwd=folder, env=clean_environment(folder), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            # A shell that runs the tests in the background has them ignore interrupts.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )  # fmt: skip
        assert self._child.stdout is not None
        assert self._child.stderr is not None
        self.out: IO[str] = self._child.stdout
        self.err: IO[str] = self._child.stderr

    def lines(self, number: int) -> list[str]:
        return [self.out.readline() for _ in range(number)]

    def interrupt(self) -> Answer:
        self._child.send_signal(signal.SIGINT)
        out, err = self.out.read(), self.err.read()
        return Answer(self.wait(), out, err)

    def wait(self) -> int:
        return self._child.wait(timeout=50)

    def close(self) -> None:
        if self._child.poll() is None:
            self._child.kill()
        self._child.wait()
        self.out.close()
        self.err.close()


@contextmanager
def watching(folder: Path, *arguments: str) -> Iterator[Watch]:
    watch = Watch(folder, *arguments)
    try:
        yield watch
    finally:
        watch.close()


def _resume(err: str) -> list[str]:
    """What the end says how to go on with, without the name of the program."""
    [told] = re.findall(r"^resume with: (.*)$", err, re.MULTILINE)
    words = shlex.split(told)
    assert words[:2] == ["lamina", "watch"]
    return words[2:]


def _places(lines: list[str]) -> list[tuple[str, int]]:
    events = [json.loads(line)["event"] for line in lines]
    return [(event["stream"], event["seq"]) for event in events]


@pytest.mark.usefixtures("store")
def test_changes_of_other_processes_are_seen_and_a_stopped_watch_is_taken_up(
    tmp_path: Path,
) -> None:
    def remember(text: str) -> None:
        assert run("--dir", "store", "remember", text, cwd=tmp_path).status == 0

    with watching(tmp_path, "--json", "--from-start") as watch:
        remember("one")
        remember("two")
        seen = watch.lines(2)
        ended = watch.interrupt()
    assert (ended.status, ended.out) == (INTERRUPTED, "")
    assert "Traceback" not in ended.err
    remember("three")
    with watching(tmp_path, *_resume(ended.err), "--json") as watch:
        remember("four")
        seen += watch.lines(2)
        last = watch.interrupt()
    found = [json.loads(line) for line in seen]
    assert [one["record"]["text"] for one in found] == ["one", "two", "three", "four"]
    assert _places(seen) == [("global", number) for number in (1, 2, 3, 4)]
    assert _resume(last.err)[-1] == found[-1]["cursor"]


def test_interrupts_at_any_moment_leave_nothing_out_and_show_nothing_twice(
    tmp_path: Path, store: Path
) -> None:
    with package.open(store) as mem:
        for number in range(300):
            mem.remember(f"note {number}", scope=("global", "user/ann", "project/web")[number % 3])
        expected = sorted((n, e.seq) for n in mem.store.streams() for e in mem.store.events(n))
    seen: list[str] = []
    options = ["--from-start"]
    for stop_after in (1, 2, 40, 7, 90, 3):
        with watching(tmp_path, "--json", *options) as watch:
            seen += watch.lines(stop_after)
            ended = watch.interrupt()
        assert ended.status == INTERRUPTED
        seen += ended.out.splitlines()
        options = _resume(ended.err)
    seen += run("watch", *options, "--once", "--json", cwd=tmp_path).out.splitlines()
    places = _places(seen)
    assert sorted(places) == expected
    for stream in ("global", "user/ann", "project/web"):
        own = [seq for name, seq in places if name == stream]
        assert own == sorted(own)


def test_a_watch_begins_now(tmp_path: Path, lamina: Call) -> None:
    lamina("remember", "before")
    with watching(tmp_path) as watch:
        assert watch.err.readline() == "Watching; Ctrl-C ends.\n"
        lamina("remember", "after")
        [line] = watch.lines(1)
        watch.interrupt()
    assert line.endswith("\t+ after\n")


def test_a_reader_that_goes_ends_it_quietly_though_nothing_happens(
    tmp_path: Path, lamina: Call
) -> None:
    lamina("remember", "one")
    with watching(tmp_path, "--from-start", "--quiet") as watch:
        watch.lines(1)
        watch.out.close()
        assert (watch.err.read(), watch.wait()) == ("", PIPE_CLOSED)


def test_a_watch_in_the_background_ignores_interrupts_as_it_was_told(
    tmp_path: Path, lamina: Call
) -> None:
    lamina("remember", "one")
    command = [*PROGRAM, "--dir", "store", "watch", "--from-start", "--timeout", "0.5"]
    child = subprocess.Popen(
        command, cwd=tmp_path, env=clean_environment(tmp_path), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )  # fmt: skip
    assert child.stdout is not None
    child.stdout.readline()
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=50)
    assert child.returncode == 0
    assert _resume(err)


def test_silence_ends_it_when_it_may(lamina: Call) -> None:
    lamina("remember", "one")
    answer = lamina("watch", "--from-start", "--timeout", "0.05", "--json")
    assert (answer.status, len(answer.out.splitlines())) == (0, 1)
    assert lamina("watch", "--timeout", "0", "--json").out == ""


def test_once_shows_what_there_is(lamina: Call) -> None:
    lamina("remember", "one")
    first = lamina("watch", "--once", "--json")
    assert (first.status, first.json["record"]["text"]) == (0, "one")
    lamina("remember", "two")
    second = lamina("watch", "--once", "--json", "--after", first.json["cursor"])
    assert second.json["record"]["text"] == "two"
    assert _resume(second.err)[-2:] == ["--after", second.json["cursor"]]
    assert lamina(*_command(second.err), "--once").out == ""
    assert lamina("watch", "--once", "--quiet").err == ""


def _command(err: str) -> list[str]:
    return ["watch", *_resume(err)]


def test_the_lines_have_the_shape_that_everything_has(lamina: Call, store: Path) -> None:
    lamina("remember", "one", "--key", "k")
    lamina("remember", "two", "--key", "k")
    kept = lamina("remember", "gone", "-q").out.strip()
    lamina("erase", kept, "--yes")
    lines = lamina("watch", "--once", "--json").out.splitlines()
    with package.open(store) as mem:
        expected = [wire.change_out(change) for change in mem.changes()]
    assert [json.loads(line) for line in lines] == expected
    assert [set(one) for one in expected] == [{"event", "record", "before", "cursor"}] * 4
    assert expected[1]["before"] == expected[0]["record"]
    assert expected[3]["record"] is None


def _columns(answer: Answer) -> list[list[str]]:
    return [line.split("\t")[1:] for line in answer.out.splitlines()]


def test_each_change_is_one_line_for_a_program(lamina: Call) -> None:
    web = ("--project", "web")
    lamina(*web, "remember", "on\tTuesdays\nor so", "--key", "day")
    lamina(*web, "remember", "on Fridays", "--key", "day", "--tag", "x")
    lamina(*web, "edit", "day", "--importance", "0.9", "--tag", "y")
    lamina(*web, "forget", "day")
    kept = lamina("remember", "the deploy password is tangerine-42-Lagoon", "--json").json
    record, secret = kept["outcomes"][0]["id"], kept["sealed"][0]
    lamina("reveal", record, secret)
    lamina("erase", record, "--yes")
    day = ["project/web", "knowledge", "day"]
    assert _columns(lamina("watch", "--once")) == [
        ["user", "created", *day, "+ on\\tTuesdays\\nor so"],
        ["user", "revised", *day, "- on\\tTuesdays\\nor so + on Fridays"],
        ["user", "revised", *day, "changed: tags, importance"],
        ["user", "moved to forgotten", *day, "on Fridays"],
        ["user", "created", "global", "-", record, "no longer kept"],
        ["user", "secret read", "global", "-", record, ""],
        ["user", "erased", "global", "-", record, ""],
    ]


def test_a_long_text_is_shortened(lamina: Call) -> None:
    lamina("remember", "word " * 1000)
    [line] = lamina("watch", "--once").out.splitlines()
    assert len(line) < 200
    assert line.endswith("…")


def test_a_person_sees_what_came_and_what_went(lamina: Call, tmp_path: Path) -> None:
    lamina("remember", "on Tuesdays", "--key", "day")
    lamina("remember", "on Fridays", "--key", "day")
    shown = on_terminal("--dir", "store", "watch", "--once", cwd=tmp_path)
    assert shown.status == 0
    assert "\x1b[31m- on Tuesdays\x1b[0m" in shown.out
    assert "\x1b[32m+ on Fridays\x1b[0m" in shown.out


def test_nothing_stored_can_steer_the_terminal(lamina: Call, tmp_path: Path) -> None:
    lamina("remember", EVIL, "--key", "k")
    lamina("remember", EVIL + "!", "--key", "k")
    for flags in ((), ("--json",)):
        shown = on_terminal("--dir", "store", "watch", "--once", *flags, cwd=tmp_path)
        assert shown.status == 0
        assert not STEERING.search(shown.out)
        assert not STEERING.search(lamina("watch", "--once", *flags).out)


def test_a_watch_is_confined_as_everything_is(lamina: Call) -> None:
    lamina("--project", "web", "remember", "of the project")
    lamina("--project", "api", "remember", "of another")
    lamina("--project", "web", "--as", "finn", "remember", "of finn", "--layer", "notebook")
    lamina("remember", "of all")

    def texts(*arguments: str) -> list[str]:
        lines = lamina("watch", "--once", "--json", *arguments).out.splitlines()
        return [json.loads(line)["record"]["text"] for line in lines]

    assert texts() == ["of the project", "of another", "of finn", "of all"]
    assert texts("--project", "web") == ["of the project", "of finn", "of all"]
    assert texts("--project", "web", "--scope", "project/web/agent/finn") == ["of finn"]
    assert texts("--project", "web", "--scope", "project/api") == ["of another"]
    assert texts("--project", "web", "--as", "ann") == ["of the project", "of all"]


def test_going_on_is_going_on_as_the_same(lamina: Call) -> None:
    lamina("--project", "web", "remember", "one")
    flags = ("--project", "web", "--as", "finn", "--role", "reader", "--scope", "project/web")
    told = _resume(lamina("watch", "--once", *flags).err)
    assert sorted(word for word in told if word in flags) == sorted(flags)
    assert set(parse_cursor(told[-1], "after").seqs) == {"project/web"}


def _foreign() -> str:
    with package.open(":memory:") as other:
        other.remember("elsewhere")
        return other.cursor()


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("--after", "nonsense"), 2),
        (("--after", ""), 2),
        (("--after", "c1.nonsense"), 2),
        (("--after", _foreign()), 2),
        (("--after", "c1.x", "--from-start"), 2),
        (("--timeout", "-1"), 2),
        (("--timeout", "nan"), 2),
        (("--timeout", "soon"), 2),
        (("--scope", "nowhere"), 2),
        (("--project", "web", "--as", "finn", "--scope", "project/api"), 4),
        (("--project", "web", "--as", "finn", "--scope", "project/web/agent/ann"), 4),
    ],
)
def test_what_cannot_be_watched_is_refused(
    arguments: tuple[str, ...], status: int, lamina: Call
) -> None:
    lamina("remember", "one")
    answer = lamina("watch", "--once", *arguments)
    assert (answer.status, answer.out) == (status, "")
    assert answer.err.startswith("Error: ")
    told: Any = lamina("watch", "--once", *arguments, "--json").json
    assert told["error"]["message"]


def test_events_are_followed_the_same_way(lamina: Call) -> None:
    lamina("remember", "Deploys on Tuesdays", "--key", "day")
    assert lamina("config", "set", "events.reads", "on").status == 0
    lamina("recall", "deploys")
    lines = lamina("watch", "--events", "--once", "--json").out.splitlines()
    found = [json.loads(line) for line in lines]
    assert {one["event"] for one in found} == {"memory:write", "memory:search"}
    [write] = [one for one in found if one["event"] == "memory:write"]
    assert (write["path"], write["delta"]) == ("global/knowledge/fact/day", 19)
    rest = lamina("watch", "--events", "--once", "--json", "--after", found[-1]["cursor"])
    assert rest.out == ""
    assert "--events" in _resume(rest.err)


def test_an_event_is_one_line(lamina: Call, tmp_path: Path) -> None:
    lamina("remember", EVIL, "--key", "day")
    [row] = _columns(lamina("watch", "--events", "--once"))
    assert row[:2] == ["user", "memory:write"]
    assert 'path="global/knowledge/fact/day"' in row[2]
    assert lamina("watch", "--events", "--once", "-q").out == "memory:write\n"
    shown = on_terminal("--dir", "store", "watch", "--events", "--once", cwd=tmp_path)
    assert "\x1b[1mmemory:write\x1b[0m" in shown.out
    assert not STEERING.search(shown.out)
