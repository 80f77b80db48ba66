"""The async mirror: every method, the same answers, from any event loop."""

import inspect
from pathlib import Path

import anyio
import pytest

from lamina import Memory, NotFoundError, aio
from lamina.testing import FakeEmbedder

NOT_MIRRORED = {"path_for"}
"""Makes a synchronous write path for importers; it does no I/O of its own."""


def test_no_method_is_missing() -> None:
    def public(kind: type) -> set[str]:
        return {name for name, _ in inspect.getmembers(kind, callable) if not name.startswith("_")}

    assert public(aio.AsyncMemory) == public(Memory) - NOT_MIRRORED


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
