"""The async mirror: every method, the same answers, from any event loop."""

import asyncio
import functools
import inspect
import threading
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from lamina import Memory, NotFoundError, aio
from lamina.core.draft import Draft
from lamina.memory import AgentMemory
from lamina.testing import FakeEmbedder

NOT_MIRRORED = {"path_for"}
"""Makes a synchronous write path for importers; it does no I/O of its own."""


def test_no_method_is_missing() -> None:
    def public(kind: type) -> set[str]:
        return {name for name, _ in inspect.getmembers(kind, callable) if not name.startswith("_")}

    assert public(aio.AsyncMemory) == public(Memory) - NOT_MIRRORED
    assert public(aio.AsyncAgentMemory) == public(AgentMemory) - NOT_MIRRORED


def test_a_conversation_in_an_event_loop(tmp_path: Path) -> None:
    async def talk() -> None:
        async with await aio.open(tmp_path) as mem:
            kept = await mem.remember("herons nest by the river", key="heron")
            assert (await mem.recall("river")).hits[0].record.id == kept.id
            await mem.forget(kept.id)
            with pytest.raises(NotFoundError):
                await mem.get("heron")
            finn = mem.agent("finn", project="web")
            await finn.remember("mine")
            assert await mem.project("web").count() == 1

    anyio.run(talk)


def test_an_embedder_of_ones_own_from_an_event_loop(tmp_path: Path) -> None:
    async def talk() -> None:
        async with await aio.open(tmp_path, embedder=FakeEmbedder(name="mine")) as mem:
            kept = await mem.remember("herons nest by the river", key="heron")
            told: list[float] = []
            done = await mem.reindex(on_progress=told.append)
            assert (done.records, done.vectors.made, told[-1]) == (1, 1, 1.0)
            assert (await mem.vectors()).space == "mine|64"
            found = await mem.recall("river", floor=0.0, now="2026-03-01T12:00:00Z")
            assert found.hits[0].record.id == kept.id
            assert (await mem.why_not("heron", "river", floor=0.0)).rank == 1

    anyio.run(talk)


def test_many_tasks_write_at_once(tmp_path: Path) -> None:
    async def crowd() -> int:
        async with await aio.open(tmp_path) as mem:
            async with anyio.create_task_group() as group:
                for number in range(60):
                    group.start_soon(mem.remember, f"note {number}")
            return await mem.count()

    assert anyio.run(crowd) == 60


def test_a_cancelled_write_is_whole_or_absent(tmp_path: Path) -> None:
    async def cut() -> int:
        async with await aio.open(tmp_path) as mem:
            for number in range(20):
                with anyio.move_on_after(0.0005):
                    await mem.remember_many([{"text": f"{number} {n}"} for n in range(5)])
            return await mem.count()

    assert anyio.run(cut) % 5 == 0


def test_a_cancelled_task_waits_until_its_write_is_known() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> list[Draft]:
        begun.set()
        go_on.wait(10)
        return [{"text": "written"}]

    class Slow(list[Draft]):
        def __iter__(self) -> Iterator[Draft]:
            return iter(slow())

    async def cut() -> int:
        mem = await aio.open(":memory:")
        await mem.configure("recall.embedder", "off")
        task = asyncio.create_task(mem.remember_many(Slow()))
        await asyncio.to_thread(begun.wait, 10)
        for _ in range(2):
            task.cancel()
            await asyncio.sleep(0)
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        return mem.memory.count()

    assert asyncio.run(cut()) == 1


def faces() -> list[str]:
    found = inspect.getmembers(Memory, lambda one: isinstance(one, functools.cached_property))
    return [name for name, _ in found if not name.startswith("_")]


def test_every_face_is_mirrored_method_by_method(tmp_path: Path) -> None:
    async def look() -> None:
        async with await aio.open(tmp_path) as mem:
            finn = mem.agent("finn", project="web")
            for face in faces():
                own, mirror = getattr(finn.memory, face), getattr(finn, face)
                for name, method in inspect.getmembers(own, callable):
                    if not name.startswith("_"):
                        assert callable(getattr(mirror, name)), (face, name)
                        assert getattr(mirror, name).__doc__ or not method.__doc__
            with pytest.raises(AttributeError, match="nothing"):
                _ = finn.nothing
            with pytest.raises(AttributeError):
                _ = finn.now.nothing

    assert len(faces()) >= 11
    anyio.run(look)


def test_faces_and_verbs_in_an_event_loop(tmp_path: Path) -> None:
    async def work() -> None:
        async with await aio.open(tmp_path) as mem:
            await mem.configure("recall.embedder", "off")
            finn = mem.agent("finn", project="web")
            await finn.now.update("ship the parser", ["test it"])
            assert (await finn.now.read()).objective == "ship the parser"
            await finn.session("s-1").append("user", "where is the parser?")
            assert [one.text for one in await finn.session("s-1").read()] == [
                "where is the parser?"
            ]
            await finn.save_fact("editor", "helix")
            assert await finn.get_fact("editor") == "helix"
            assert isinstance(await finn.artifact.verify(workspace=tmp_path), list)
            assert finn.working.scope == "project/web/agent/finn"

    anyio.run(work)


def test_sessions_and_contexts_in_an_event_loop() -> None:
    async def talk() -> None:
        async with await aio.open(":memory:") as mem:
            await mem.configure("recall.embedder", "off")
            finn = mem.agent("finn", project="web")
            session = finn.session("s-1")
            await session.extend([{"role": "user", "text": f"heron {n}"} for n in range(30)])
            done = await session.compact(force=True)
            assert (done.entries, len(await session.view())) == (20, 11)
            assert not (await session.pressure()).compact_due
            await finn.split.set("50/30/20")
            context = await finn.context("heron", layers=["session"])
            assert (context.origin, context.split["task"]) == ("agent", 0.5)
            assert any("heron 29" in entry.line for entry in context.entries)

    anyio.run(talk)


def test_the_board_wakes_a_task_and_waiting_is_cancelled(tmp_path: Path) -> None:
    async def work() -> list[object]:
        heard: list[object] = []
        async with await aio.open(tmp_path) as mem:
            finn, maya = mem.agent("finn", project="web"), mem.agent("maya", project="web")
            start = await maya.cursor()

            async def listen() -> None:
                async for news in maya.blackboard.subscribe("n:", after=start):
                    heard.append(news.signal.value)
                    if news.signal.value == 2:
                        break

            async def wait() -> None:
                found = await maya.blackboard.wait_for("done", timeout=60)
                heard.append(found.publisher)

            async with anyio.create_task_group() as group:
                group.start_soon(listen)
                group.start_soon(wait)
                for number in range(3):
                    await finn.blackboard.publish(f"n:{number}", number)
                await finn.blackboard.publish("done:not", "x")
                await finn.blackboard.publish("done", "x")
            assert await maya.blackboard.wait_for("never", timeout=0) is None
            assert await maya.blackboard.wait_for("never", timeout=0.05) is None
            with anyio.move_on_after(0.05) as scope:
                await maya.blackboard.wait_for("never")
            assert scope.cancelled_caught
        return heard

    heard = anyio.run(work)
    assert [one for one in heard if one != "finn"] == [0, 1, 2]
    assert heard.count("finn") == 1
