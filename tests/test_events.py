"""The events of the file-based design: typed payloads, in order, each write exactly once."""

import asyncio
import random
import threading
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

import lamina
from lamina import ForbiddenError, InvalidInputError, Memory, aio
from lamina.core.changes import Changed
from lamina.core.cursor import parse_cursor
from lamina.core.ids import RecordId
from lamina.events import (
    Announcement,
    MemoryCompact,
    MemoryFlush,
    MemoryRead,
    MemorySearch,
    MemoryWrite,
)
from tests.places import mem

__all__ = ["mem"]

Step = Callable[[aio.AsyncFeed[Changed]], Coroutine[None, None, list[Changed]]]
LONG_ENOUGH = 20.0
"""How long to wait for what must come; nothing is concluded from how long it took."""


def deltas(memory: Memory) -> list[int | None]:
    return [e.delta for e in memory.events(names=["memory:write"]) if isinstance(e, MemoryWrite)]


def test_every_event_has_the_payload_of_the_design(mem: Memory) -> None:
    web = mem.project("web")
    mem.configure("events.reads", "on")
    start = web.cursor()
    kept = web.remember("Deploys go out on Tuesdays", key="deploy-day", kind="convention")
    web.recall("when do we deploy?")
    web.get("deploy-day")
    web.announce(MemoryFlush(session_id="s-1"))
    web.announce(MemoryCompact(session_id="s-1", before=90_000, after=1_200))
    told = list(web.events(start))
    path = "project/web/knowledge/convention/deploy-day"
    assert told == [
        MemoryWrite(at=told[0].at, actor="user", type="knowledge", path=path, delta=26),
        MemorySearch(at=told[1].at, actor="user", query="when do we deploy?", results=(kept.id,)),
        MemoryRead(at=told[2].at, actor="user", type="knowledge", path=path, size=26),
        MemoryFlush(at=told[3].at, actor="user", session_id="s-1"),
        MemoryCompact(at=told[4].at, actor="user", session_id="s-1", before=90_000, after=1_200),
    ]
    times = [event.at for event in told]
    assert times == sorted(times)


def test_the_json_is_that_of_the_design() -> None:
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    who = {"at": "2026-03-01T12:00:00.000000Z", "actor": "finn"}
    found = (
        MemoryRead(type="fact", path="p", size=3),
        MemoryWrite(type="fact", path="p", delta=-3),
        MemoryFlush(session_id="s"),
        MemoryCompact(session_id="s", before=2, after=1),
        MemorySearch(query="q", results=(RecordId("a"), RecordId("b"))),
    )
    assert [replace(event, at=noon, actor="finn").to_json() for event in found] == [
        {"event": "memory:read", **who, "type": "fact", "path": "p", "size": 3},
        {"event": "memory:write", **who, "type": "fact", "path": "p", "delta": -3},
        {"event": "memory:flush", **who, "sessionId": "s"},
        {"event": "memory:compact", **who, "sessionId": "s", "before": 2, "after": 1},
        {"event": "memory:search", **who, "query": "q", "results": ["a", "b"]},
    ]


def test_a_write_tells_how_much_was_gained_or_lost(mem: Memory) -> None:
    kept = mem.remember("12345", key="k")
    mem.edit("k", "12")
    mem.edit("k", tags=["t"])
    gone = mem.forget("k")
    mem.undo(gone.tx)
    assert deltas(mem) == [5, -3, 0, -2, 2]
    mem.remember("1234567")
    mem.erase(kept.id)
    # Of what was erased nobody knows any more how long it was.
    assert deltas(mem) == [None] * 5 + [7, None]
    erased = [e for e in mem.events() if isinstance(e, MemoryWrite) and e.type is None]
    assert {event.path for event in erased} == {f"global/{kept.id}"}


def test_a_version_that_is_not_kept_has_no_known_size(mem: Memory) -> None:
    for number in range(20):
        mem.remember("x" * number, layer="working", key="k", data={"n": number})
    assert deltas(mem) == [None] * 20


def test_to_read_a_secret_is_a_read_and_no_write(mem: Memory) -> None:
    kept = mem.remember("the password is " + "correct-horse-77-staple")
    mem.configure("events.reads", "on")
    start = mem.cursor()
    mem.reveal(kept.id, kept.sealed[0])
    [event] = mem.events(start)
    assert isinstance(event, MemoryRead)
    assert event.path == f"global/knowledge/fact/{kept.id}"
    assert [change.event.action for change in mem.changes(start)] == ["witnessed"]


def test_reads_and_searches_are_off_until_switched_on(mem: Memory) -> None:
    mem.remember("the heron", key="k")
    mem.recall("heron")
    mem.get("k")
    mem.query()
    assert [event.name for event in mem.events()] == ["memory:write"]
    mem.configure("events.reads", "on")
    finn = mem.agent("finn", project="web")
    finn.recall("heron")
    mem.history("k")
    assert [event.name for event in mem.events()][1:] == ["memory:search", "memory:read"]
    mem.configure("events.reads", "off")
    finn.recall("heron")
    assert len(list(mem.events())) == 3


def test_changing_something_by_its_key_is_not_reading_it(mem: Memory) -> None:
    mem.configure("events.reads", "on")
    mem.remember("one", key="k")
    mem.edit("k", "two")
    mem.forget("k")
    assert {event.name for event in mem.events()} == {"memory:write"}


def test_events_can_be_chosen_by_name_and_by_scope(mem: Memory) -> None:
    mem.configure("events.reads", "on")
    web, shop = mem.project("web"), mem.project("shop")
    for project in (web, shop):
        project.remember("a heron", key="k")
        project.recall("heron")
        project.get("k")
    assert [e.name for e in mem.events(names=["memory:search"])] == ["memory:search"] * 2
    assert [e.name for e in mem.events(names="memory:read")] == ["memory:read"] * 2
    own = list(mem.events(scope="project/web"))
    assert [e.name for e in own] == ["memory:write", "memory:search", "memory:read"]
    assert own == list(web.events())


def test_bad_questions_are_refused(mem: Memory, tmp_path: Path) -> None:
    web = mem.project("web")
    for names in (["memory:nope"], "write", 7, [None]):
        with pytest.raises(InvalidInputError, match="names"):
            mem.events(names=names)  # type: ignore[arg-type]  # that is the test
    for after in ("", "nonsense", mem.cursor()[:-4], 7):
        with pytest.raises(InvalidInputError, match="after"):
            mem.events(after)  # type: ignore[arg-type]  # that is the test
    with pytest.raises(InvalidInputError, match="timeout"):
        mem.events(timeout=-1)
    with lamina.open(tmp_path / "other") as other, pytest.raises(InvalidInputError, match="store"):
        mem.events(other.cursor())
    with pytest.raises(ForbiddenError, match="project/shop"):
        web.events(scope="project/shop")


def test_only_some_may_announce_and_only_what_is_theirs(mem: Memory) -> None:
    flush = MemoryFlush(session_id="s-1")
    finn = mem.agent("finn", project="web")
    lead = mem.agent("lead", project="web", role="orchestrator")
    assert finn.announce(flush).actor == "finn"
    assert lead.announce(flush, scope="project/web/agent/finn").actor == "lead"
    for role in ("reader", "skill"):
        with pytest.raises(ForbiddenError):
            mem.agent("rose", project="web", role=role).announce(flush)
    for scope in ("project/web", "project/web/agent/gwen", "project/shop", "global"):
        with pytest.raises(ForbiddenError):
            finn.announce(flush, scope=scope)
    write = MemoryWrite(type="fact", path="p", delta=1)
    with pytest.raises(InvalidInputError, match="event"):
        mem.announce(write)
    for wrong in ("", "S 1", "a/b", "x" * 65):
        with pytest.raises(InvalidInputError, match="session_id"):
            MemoryFlush(session_id=wrong)
    for count in (-1, 1.5, True, "9"):
        with pytest.raises(InvalidInputError, match="before"):
            MemoryCompact(session_id="s", before=count, after=0)  # type: ignore[arg-type]
    assert [e.actor for e in mem.events()] == ["finn", "lead"]


def test_any_cursor_will_do(mem: Memory) -> None:
    mem.configure("events.reads", "on")
    mem.remember("one", key="k")
    stream = mem.events()
    next(stream)
    mem.get("k")
    mem.remember("two")
    # The cursor of the events is good for changes and for the past, and theirs for events.
    [change] = mem.changes(stream.cursor)
    assert change.record is not None
    assert change.record.text == "two"
    assert mem.count(as_of=stream.cursor) == 1
    assert [e.name for e in mem.events(stream.cursor)] == ["memory:read", "memory:write"]
    assert [e.name for e in mem.events(change.cursor)] == ["memory:read"]
    *_, change = mem.changes()
    assert list(mem.events(change.cursor)) == []
    assert list(mem.events(mem.cursor())) == []
    mem.get("k")
    assert [e.name for e in mem.events(change.cursor)] == ["memory:read"]


def test_what_is_hidden_is_passed(mem: Memory) -> None:
    finn, gwen = mem.agent("finn", project="web"), mem.agent("gwen", project="web")
    finn.remember("his")
    gwen.remember("hers")
    stream = finn.events()
    assert len(list(stream)) == 1
    assert parse_cursor(stream.cursor, "after").seqs == {"project/web": 2}


def test_every_write_comes_exactly_once_however_often_one_stops(mem: Memory) -> None:
    mem.configure("events.reads", "on")
    rng = random.Random(11)
    writers = [mem.agent(name, project="web") for name in ("finn", "gwen", "hugo")]

    def work(own: Memory) -> None:
        for number in range(40):
            own.remember("x" * (number + 1), key=f"k{number}")
            own.recall("x")

    threads = [threading.Thread(target=work, args=(own,)) for own in writers]
    for thread in threads:
        thread.start()
    seen: list[Announcement] = []
    cursor = None
    while len(writes(seen)) < 120:
        with mem.events(cursor, follow=True, timeout=LONG_ENOUGH) as stream:
            for _ in range(rng.randrange(1, 30)):
                seen.append(next(stream))
                cursor = stream.cursor
                if len(writes(seen)) == 120:
                    break
    for thread in threads:
        thread.join()
    assert list(mem.events(cursor, names=["memory:write"])) == []
    for own in ("finn", "gwen", "hugo"):
        theirs = [event.path for event in writes(seen) if event.actor == own]
        start = f"project/web/agent/{own}/knowledge/fact"
        assert theirs == [f"{start}/k{number}" for number in range(40)]
    seen += mem.events(cursor)
    assert [e.name for e in seen].count("memory:search") == 120
    assert sorted(map(str, seen)) == sorted(map(str, mem.events()))


def writes(events: list[Announcement]) -> list[MemoryWrite]:
    return [event for event in events if isinstance(event, MemoryWrite)]


def test_a_stream_waits_and_can_be_ended_while_it_does(mem: Memory) -> None:
    mem.configure("events.reads", "on")
    mem.remember("the heron", key="k")
    told: list[str] = []
    came = threading.Semaphore(0)
    stream = mem.events(mem.cursor(), follow=True)

    def listen() -> None:
        for event in stream:
            told.append(event.name)
            came.release()

    listener = threading.Thread(target=listen)
    listener.start()
    for action in (lambda: mem.get("k"), lambda: mem.remember("more"), lambda: mem.recall("heron")):
        action()
        assert came.acquire(timeout=LONG_ENOUGH)
    stream.close()
    listener.join(LONG_ENOUGH)
    assert not listener.is_alive()
    assert told == ["memory:read", "memory:write", "memory:search"]
    assert list(mem.events(mem.cursor(), follow=True, timeout=0)) == []


def test_events_and_changes_in_an_event_loop(tmp_path: Path) -> None:
    async def talk() -> None:
        async with await aio.open(tmp_path) as memory:
            await memory.configure("events.reads", "on")
            await memory.remember("one", key="k")
            await memory.announce(MemoryFlush(session_id="s"))
            texts = [change.record.text async for change in memory.changes() if change.record]
            assert texts == ["one"]
            stream = memory.events(follow=True, timeout=LONG_ENOUGH)
            assert stream.cursor is None
            names = [(await anext(stream)).name for _ in range(2)]
            assert names == ["memory:write", "memory:flush"]
            with anyio.move_on_after(0.05) as waiting:
                await anext(stream)
            assert waiting.cancelled_caught
            await memory.get("k")
            assert (await anext(stream)).name == "memory:read"
            await stream.aclose()
            assert [event async for event in stream] == []
            later = memory.events(stream.cursor, follow=True, timeout=0)
            assert [event async for event in later] == []
            with pytest.raises(InvalidInputError, match="after"):
                await anext(memory.changes("nonsense"))

    anyio.run(talk)


def within_a_scope(feed: aio.AsyncFeed[Changed]) -> Coroutine[None, None, list[Changed]]:
    async def step() -> list[Changed]:
        with anyio.move_on_after(0.0005):
            return [await anext(feed)]
        return []

    return step()


def as_a_task(feed: aio.AsyncFeed[Changed]) -> Coroutine[None, None, list[Changed]]:
    async def step() -> list[Changed]:
        try:
            return [await asyncio.wait_for(feed.__anext__(), 0.0005)]
        except TimeoutError:
            return []

    return step()


@pytest.mark.parametrize("step", [within_a_scope, as_a_task])
def test_a_cancelled_step_loses_nothing(tmp_path: Path, step: Step) -> None:
    async def cut() -> list[Changed]:
        async with await aio.open(tmp_path) as memory:
            seen: list[Changed] = []
            feed = memory.changes(follow=True, timeout=LONG_ENOUGH)
            for number in range(30):
                await memory.remember(f"note {number}")
                seen += await step(feed)
            async with memory.changes(feed.cursor) as rest:
                return seen + [change async for change in rest]

    assert [change.event.seq for change in asyncio.run(cut())] == list(range(1, 31))
