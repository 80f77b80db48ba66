"""What happens, as server-sent events: all of it, once, and nothing that is not the caller's."""

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic

import httpx2
import pytest

import lamina
from lamina import Memory
from lamina.surfaces.http import hub
from tests.http.frames import Frame, streaming
from tests.places import plain
from tests.serving import serving

__all__ = ["plain"]

CHANGES, BOARD = "/api/changes/stream", "/api/blackboard/stream"


def places(frames: list[Frame]) -> list[tuple[str, int]]:
    """Which events of the log these are."""
    return [(one.data["event"]["stream"], one.data["event"]["seq"]) for one in frames]


def logged(mem: Memory) -> list[tuple[str, int]]:
    """Every event of the log that the handle can see."""
    return [(one.event.stream, one.event.seq) for one in mem.changes()]


@contextmanager
def writing(mem: Memory, count: int) -> Iterator[None]:
    """Write so many memories to two projects meanwhile."""

    def write() -> None:
        for number in range(count):
            mem.remember(f"number {number}", scope=f"project/{'ab'[number % 2]}")

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def test_who_is_cut_off_again_and_again_hears_everything_once(plain: Memory) -> None:
    plain.remember("before")
    heard: list[Frame] = []
    last, left = plain.changes().cursor, 61
    with writing(plain, 60):
        # A server ends, and the next one goes on.
        for _ in range(2):
            with serving(plain) as address:
                while left > 30 or (heard and left):
                    with streaming(address + CHANGES, last) as stream:
                        got = stream.take(min(left, 7))
                    heard += got
                    last, left = got[-1].id, left - len(got)
                    if 25 < left <= 30:
                        break
    assert sorted(places(heard)) == sorted(logged(plain))
    assert len({one.id for one in heard}) == 61


def test_a_frame_is_what_the_command_line_prints(plain: Memory) -> None:
    with serving(plain) as address, streaming(address + CHANGES) as stream:
        plain.remember("tea\n\nafter lunch", key="drink")
        [frame] = stream.take(1)
    [change] = plain.changes()
    assert stream.response.headers["content-type"].startswith("text/event-stream")
    assert frame.event == "change"
    assert frame.id == frame.data["cursor"]
    assert frame.data["record"]["text"] == "tea\n\nafter lunch"
    assert frame.data["event"]["hash"] == change.event.hash


def test_a_stream_that_told_nothing_yet_can_be_gone_on_with(plain: Memory) -> None:
    with serving(plain) as address:
        with streaming(address + CHANGES) as stream:
            begun = stream.start
        plain.remember("meanwhile")
        with streaming(address + CHANGES, begun) as stream:
            [frame] = stream.take(1)
    assert frame.data["record"]["text"] == "meanwhile"


ASKED = {
    "": "abcda+f",
    "layer=fact": "b",
    "kind=decision": "c",
    "key_prefix=d": "df",
    "scope=project/web": "df",
    "actions=moved": "a+",
    "actions=revised,moved&scope=project/web": "f",
    "scope=project/web&key_prefix=none": "",
}
"""What is asked for, and which of the changes come; the two of `a` are `a` and `a+`."""


def test_only_what_was_asked_for_comes(plain: Memory) -> None:
    start = plain.changes().cursor
    with serving(plain) as address, ExitStack() as stack:
        first = plain.remember("a")
        plain.remember("b", layer="fact", key="b")
        streams = {
            asked: stack.enter_context(
                streaming(f"{address}{CHANGES}?{asked}", after=start, timeout=0.4)
            )
            for asked in ASKED
        }
        plain.remember("c", kind="decision")
        plain.remember("d", key="d", scope="project/web")
        plain.forget(first.id)
        plain.remember("f", key="d", scope="project/web")
        heard = {asked: "".join(map(named, stream)) for asked, stream in streams.items()}
    assert heard == ASKED


def named(frame: Frame) -> str:
    """A change by the text of its record, and whether that was moved."""
    moved = frame.data["event"]["action"] == "moved"
    return f"{frame.data['record']['text']}{'+' * moved}"


def test_the_board_tells_what_stands_there_and_what_is_gone(plain: Memory) -> None:
    board = plain.project("web").blackboard
    with serving(plain) as address:
        with streaming(address + BOARD, project="web", prefix="task:") as stream:
            board.publish("other", 1)
            board.publish("task:1", {"done": False})
            plain.blackboard.publish("task:1", "of everybody")
            board.clear("task:1")
            frames = stream.take(2)
        with streaming(address + BOARD, frames[0].id, project="web", prefix="task:") as stream:
            again = stream.take(1)
    assert [one.event for one in frames] == ["news", "news"]
    assert frames[0].data["signal"]["value"] == {"done": False}
    assert frames[1].data == {"key": "task:1", "signal": None, "cursor": frames[1].id}
    assert again == frames[1:]


REFUSED: dict[str, tuple[dict[str, str], int]] = {
    "after=nonsense": ({}, 422),
    "": ({"Last-Event-ID": "nonsense"}, 422),
    "layer=none": ({}, 422),
    "actions=none": ({}, 422),
    "scope=nowhere": ({}, 422),
    "timeout=-1": ({}, 422),
}


def test_what_cannot_be_is_refused_before_a_stream_begins(plain: Memory) -> None:
    with lamina.open(":memory:") as other, serving(plain) as address:
        other.remember("elsewhere")
        refused = {**REFUSED, f"after={other.cursor()}": ({}, 422)}
        for asked, (headers, status) in refused.items():
            answer = httpx2.get(f"{address}{CHANGES}?{asked}", headers=headers)
            assert answer.status_code == status, asked
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["error"]["remedy"]


def test_a_slow_reader_holds_nobody_up_and_misses_nothing(
    plain: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "MOST_WAITING", 5)
    many, long = 60, "x" * 100_000
    with serving(plain) as address, streaming(address + CHANGES) as quick:
        slow = socket.socket()
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        slow.connect(("127.0.0.1", int(address.rpartition(":")[2])))
        slow.sendall(f"GET {CHANGES}?timeout=2 HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
        slow.recv(1)
        for number in range(many):
            plain.remember(f"{number} {long}")
            quick.take(1)
        with slow:
            told = b"".join(iter(lambda: slow.recv(1_000_000), b""))
    assert [told.count(b'"text":"%d x' % number) for number in range(many)] == [1] * many


def test_two_servers_on_one_store_tell_the_same(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as one, lamina.open(tmp_path) as other:
        one.configure("recall.embedder", "off")
        with (
            serving(one) as here,
            serving(other) as there,
            streaming(here + CHANGES) as near,
            streaming(there + CHANGES) as far,
        ):
            for number in range(10):
                (one, other)[number % 2].remember(f"number {number}")
            heard = near.take(5)
            with streaming(there + CHANGES, heard[-1].id) as moved:
                heard += moved.take(5)
            assert places(heard) == places(far.take(10)) == logged(one)


def test_a_server_that_ends_ends_its_streams(plain: Memory) -> None:
    with serving(plain) as address:
        stack = streaming(address + CHANGES)
        stream = stack.__enter__()
        start = monotonic()
    assert list(stream) == []
    assert monotonic() - start < 3
    stack.__exit__(None, None, None)
