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
from lamina.core.cursor import parse_cursor
from lamina.core.principal import Principal, Role
from lamina.core.scope import Scope
from lamina.surfaces.http import hub
from tests.http.frames import Frame, Stream, streaming
from tests.places import plain
from tests.serving import bearing, serving

__all__ = ["plain"]

CHANGES, BOARD = "changes/stream", "blackboard/stream"
SPOKEN = f"{CHANGES}?layer=knowledge"
"""What people write; a server that starts makes a key, which is a change too."""


def places(frames: list[Frame]) -> list[tuple[str, int]]:
    """Which events of the log these are."""
    return [(one.data["event"]["stream"], one.data["event"]["seq"]) for one in frames]


def logged(mem: Memory) -> list[tuple[str, int]]:
    """Every event of the log about what people write."""
    spoken = (one for one in mem.changes() if one.record and one.record.layer == "knowledge")
    return [(one.event.stream, one.event.seq) for one in spoken]


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
            with serving(plain) as served:
                while left > 30 or (heard and left):
                    with streaming(served, SPOKEN, last) as stream:
                        got = stream.take(min(left, 7))
                    heard += got
                    last, left = got[-1].id, left - len(got)
                    if 25 < left <= 30:
                        break
    assert sorted(places(heard)) == sorted(logged(plain))
    assert len({one.id for one in heard}) == 61


def test_a_frame_is_what_the_command_line_prints(plain: Memory) -> None:
    with serving(plain) as served, streaming(served, SPOKEN) as stream:
        plain.remember("tea\n\nafter lunch", key="drink")
        [frame] = stream.take(1)
    *_, change = plain.changes()
    assert stream.response.headers["content-type"].startswith("text/event-stream")
    assert "no-store" in stream.response.headers["cache-control"]
    assert frame.event == "change"
    assert frame.id == frame.data["cursor"]
    assert frame.data["record"]["text"] == "tea\n\nafter lunch"
    assert frame.data["event"]["hash"] == change.event.hash


def test_a_stream_that_told_nothing_yet_can_be_gone_on_with(plain: Memory) -> None:
    with serving(plain) as served:
        with streaming(served, SPOKEN) as stream:
            begun = stream.start
        plain.remember("meanwhile")
        with streaming(served, SPOKEN, begun) as stream:
            [frame] = stream.take(1)
    assert frame.data["record"]["text"] == "meanwhile"


ASKED = {
    "layer=knowledge": "acda+f",
    "layer=fact": "b",
    "kind=decision": "c",
    "key_prefix=drink:": "df",
    "scope=project/web": "df",
    "actions=moved&layer=knowledge": "a+",
    "actions=revised,moved&scope=project/web": "f",
    "scope=project/web&key_prefix=none": "",
}
"""What is asked for, and which of the changes come; the two of `a` are `a` and `a+`."""


def test_only_what_was_asked_for_comes(plain: Memory) -> None:
    start = plain.changes().cursor
    first = plain.remember("a")
    plain.remember("b", layer="fact", key="b")
    plain.remember("c", kind="decision")
    plain.remember("d", key="drink:tea", scope="project/web")
    plain.forget(first.id)
    plain.remember("f", key="drink:tea", scope="project/web")
    heard = {}
    with serving(plain) as served:
        for asked in ASKED:
            with streaming(served, f"{CHANGES}?{asked}", after=start, timeout=0) as stream:
                heard[asked] = "".join(map(named, stream))
    assert heard == ASKED


def named(frame: Frame) -> str:
    """A change by the text of its record, and whether that was moved."""
    moved = frame.data["event"]["action"] == "moved"
    return f"{frame.data['record']['text']}{'+' * moved}"


def test_the_board_tells_what_stands_there_and_what_is_gone(plain: Memory) -> None:
    board = plain.project("web").blackboard
    with serving(plain) as served:
        with streaming(served, BOARD, project="web", prefix="task:") as stream:
            board.publish("other", 1)
            board.publish("task:1", {"done": False})
            plain.blackboard.publish("task:1", "of everybody")
            board.clear("task:1")
            frames = stream.take(2)
        with streaming(served, BOARD, frames[0].id, project="web", prefix="task:") as stream:
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
    with lamina.open(":memory:") as other, serving(plain) as served:
        other.remember("elsewhere")
        refused = {**REFUSED, f"after={other.cursor()}": ({}, 422)}
        for asked, (headers, status) in refused.items():
            sent = {**served.headers, **headers}
            answer = httpx2.get(f"{served.url}/api/{CHANGES}?{asked}", headers=sent)
            assert answer.status_code == status, asked
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["error"]["remedy"]


def test_a_slow_reader_holds_nobody_up_and_misses_nothing(
    plain: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "MOST_WAITING", 5)
    many, long = 60, "x" * 100_000
    with serving(plain) as served, streaming(served, SPOKEN) as quick:
        slow = socket.socket()
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        slow.connect(("127.0.0.1", int(served.url.rpartition(":")[2])))
        asked = f"GET /api/{CHANGES}?layer=knowledge HTTP/1.0\r\nHost: localhost\r\n"
        slow.sendall(f"{asked}Authorization: Bearer {served.key}\r\n\r\n".encode())
        slow.recv(1)
        for number in range(many):
            plain.remember(f"{number} {long}")
            quick.take(1)
        told = bytearray()
        with slow:
            slow.settimeout(20)
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1_000_000)
            while not told.endswith(b"\n\n") or b'"text":"%d x' % (many - 1) not in told[-110_000:]:
                told += slow.recv(1_000_000)
    assert [told.count(b'"text":"%d x' % number) for number in range(many)] == [1] * many


def test_two_servers_on_one_store_tell_the_same(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as one, lamina.open(tmp_path) as other:
        one.configure("recall.embedder", "off")
        with (
            serving(one) as here,
            serving(other) as there,
            streaming(here, SPOKEN) as near,
            streaming(there, SPOKEN) as far,
        ):
            for number in range(10):
                (one, other)[number % 2].remember(f"number {number}")
            heard = near.take(5)
            with streaming(there, SPOKEN, heard[-1].id) as moved:
                heard += moved.take(5)
            assert places(heard) == places(far.take(10)) == logged(one)


def test_a_server_that_ends_ends_its_streams(plain: Memory) -> None:
    with serving(plain) as served:
        stack = streaming(served, SPOKEN)
        stream = stack.__enter__()
        start = monotonic()
    assert list(stream) == []
    assert monotonic() - start < 3
    stack.__exit__(None, None, None)


def test_nobody_hears_of_what_is_not_theirs(plain: Memory) -> None:
    projects = [f"p{number}" for number in range(10)]
    roles = {**dict.fromkeys(projects, "reader"), "p0": "agent", "p1": "orchestrator"}
    with serving(plain) as served, ExitStack() as stack:
        streams = {}
        for project, role in roles.items():
            headers = served.headers_of(f"of-{project}", role, project)
            streams[project] = stack.enter_context(streaming(served, CHANGES, headers=headers))
        start = plain.cursor()
        for project in projects:
            handle = plain.project(project)
            handle.remember(f"of {project}")
            handle.agent(f"of-{project}").now.update("of an agent")
            handle.agent("other").now.update("of another agent")
            handle.erase(handle.remember(f"gone from {project}").id)
        last = plain.remember("of everybody")
        heard = {project: until(stream, last.id) for project, stream in streams.items()}
    for project, frames in heard.items():
        root = Scope.of(f"project/{project}")
        seen = plain.acting(Principal(f"of-{project}", Role(roles[project]), root)).changes(start)
        told = [(one.event.stream, one.event.seq) for one in seen]
        # What was erased since is told no more.
        assert [one for one in places(frames) if one in told] == told
        assert {stream for stream, _ in places(frames)} == {root.path, "global"}
        known = {stream for one in frames for stream in parse_cursor(one.id, "id").places}
        assert known <= {root.path, "global"}
    objectives = {project: said(frames, "now") for project, frames in heard.items()}
    assert objectives["p0"] == ["of an agent"]
    assert objectives["p1"] == ["of an agent", "of another agent"]
    assert objectives["p2"] == []


def said(frames: list[Frame], layer: str) -> list[str]:
    """The texts of a layer."""
    records = (frame.data["record"] for frame in frames)
    return [record["text"] for record in records if record and record["layer"] == layer]


def until(stream: Stream, record: str) -> list[Frame]:
    """What comes up to the change of a record."""
    heard = []
    for frame in stream:
        heard.append(frame)
        if frame.data["event"]["record"] == record:
            break
    return heard


def test_a_stream_ends_when_its_key_does(plain: Memory) -> None:
    with serving(plain) as served:
        keys = served.engine.keys
        revoked, ending = keys.create("ann", "reader"), keys.create("bob", "reader", expires="2s")
        token = keys.exchange(keys.create("cleo", "reader", expires="2s").text)
        with ExitStack() as stack:
            streams = [
                stack.enter_context(streaming(served, CHANGES, headers=bearing(shown)))
                for shown in (revoked.text, ending.text, token.text)
            ]
            with streaming(served, SPOKEN) as owners:
                keys.revoke(revoked.key.id)
                assert [list(stream) for stream in streams] == [[], [], []]
                plain.remember("still heard")
                assert len(owners.take(1)) == 1


def test_streams_end_when_the_store_is_not_there_any_more(tmp_path: Path) -> None:
    place, elsewhere = tmp_path / "store", tmp_path / "elsewhere"
    with lamina.open(place) as mem, serving(mem) as served:
        with streaming(served, CHANGES) as stream:
            place.rename(elsewhere)
            assert list(stream) == []
        again = httpx2.get(f"{served.url}/api/{CHANGES}", headers=served.headers)
        elsewhere.rename(place)
    assert again.status_code == 500
    assert "open it again" in again.json()["error"]["remedy"]
