"""Those who only wait cost next to nothing, and hear of a change."""

import asyncio
from collections.abc import Iterator

import pytest

from lamina import Memory
from lamina.remote import waiting
from lamina.remote.store import RemoteStore
from lamina.stores.ephemeral import EphemeralStore
from lamina.surfaces.http.waking import let_go, waking
from lamina.testing.builders import a_put, write
from tests.remote.far import Place, served

PATIENCE = 30.0


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with served() as made:
        yield made


@pytest.fixture
def mem(place: Place) -> Iterator[Memory]:
    with place.keeping() as owner:
        owner.configure("recall.embedder", "off")
        with place.connected() as connected:
            yield connected


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no wait count as short, so that nothing here takes long."""
    monkeypatch.setattr(waiting, "_SHORT_SECONDS", 0.0)


def test_many_waits_are_one_question(mem: Memory) -> None:
    store = mem.store
    assert isinstance(store, RemoteStore)
    pulse, before = store.pulse(), store._transport.asked
    for _ in range(20):
        assert not store.wait(pulse, 0.001)
    assert store._transport.asked <= before + 1
    mem.remember("something happens")
    assert store.wait(pulse, PATIENCE)


def test_a_closed_client_leaves_nobody_waiting(mem: Memory) -> None:
    store = mem.store
    assert isinstance(store, RemoteStore)
    assert not store.wait(store.pulse(), 0.01)
    [question] = store._waits._asked.values()
    store.close()
    assert question.answered.wait(PATIENCE)
    assert question.error is not None


class Looked:
    """A pulse that counts how often it was taken."""

    about = "all"

    def __init__(self, store: EphemeralStore) -> None:
        self.store = store
        self.looks = 0

    def pulse(self) -> int:
        self.looks += 1
        return self.store.pulse()


def test_a_hundred_who_wait_look_together_and_are_woken_together() -> None:
    async def wait() -> tuple[int, list[bool]]:
        looked = Looked(EphemeralStore())
        seen = looked.store.pulse()
        all_of_them = waking(looked.store)
        some = [all_of_them.until(looked, seen, 0.2) for _ in range(100)]
        assert await asyncio.gather(*some) == [False] * 100
        idle = looked.looks
        waits = [asyncio.create_task(all_of_them.until(looked, seen, PATIENCE)) for _ in some]
        await asyncio.sleep(0)
        await asyncio.to_thread(write, looked.store, a_put("something happens"))
        return idle, await asyncio.gather(*waits)

    idle, moved = asyncio.run(wait())
    assert moved == [True] * 100
    assert idle < 10


def test_a_server_that_ends_lets_everybody_go() -> None:
    async def end() -> bool:
        looked = Looked(EphemeralStore())
        everybody = waking(looked.store)
        task = asyncio.create_task(everybody.until(looked, looked.pulse(), PATIENCE * 100))
        await asyncio.sleep(0.01)
        let_go()
        return await task

    assert asyncio.run(asyncio.wait_for(end(), PATIENCE)) is False
