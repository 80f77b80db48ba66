"""Where the log ends and the present begins, a stream has no gap and no echo."""

import asyncio
import json
from typing import Any

from lamina import Memory
from lamina.stores.base import Page, Store
from lamina.surfaces.http.hub import Hub
from lamina.surfaces.http.streaming import EventStream, Source, change_frame
from lamina.tokens import Identity
from tests.places import plain

__all__ = ["plain"]

BEFORE = 130
"""More than a page of the log, so that there is a middle."""
MOMENTS = {1: "while the first page is told", BEFORE + 1: "when the last page was read"}
"""At which frames something more is written."""


def test_what_happens_while_a_stream_catches_up_is_told_once(plain: Memory) -> None:
    for number in range(BEFORE):
        plain.remember(f"number {number}", scope=f"project/{'ab'[number % 2]}")
    told = asyncio.run(listened(plain))
    log = [(one.event.stream, one.event.seq) for one in plain.changes()]
    assert len(log) == BEFORE + 2 * len(MOMENTS)
    assert sorted(map(event_of, told)) == sorted(log)
    for number in (0, 60, BEFORE, *range(BEFORE, len(told))):
        rest = [(one.event.stream, one.event.seq) for one in plain.changes(told[number]["cursor"])]
        assert sorted(rest) == sorted(map(event_of, told[number + 1 :])), "its cursor goes on here"


def event_of(told: dict[str, Any]) -> tuple[str, int]:
    """Which event of the log was told."""
    return told["event"]["stream"], told["event"]["seq"]


class Failing:
    """A store that fails to tell what happened, in a way that nobody has foreseen."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def changes(self, *_: object) -> Page:
        raise ZeroDivisionError


def test_a_stream_that_nobody_feeds_any_more_ends(plain: Memory) -> None:
    async def listen() -> list[Any]:
        told: list[Any] = []

        async def send(message: Any) -> None:
            told.append(message)

        failing: Any = Failing(plain.store)
        hub = Hub(failing, lambda identity: True)
        async with asyncio.timeout(10):
            await EventStream(hub, source(plain, None), plain.changes())({}, silent, send)
        hub.close()
        return told

    told = asyncio.run(listen())
    assert told[-1] == {"type": "http.response.body", "body": b""}


def source(plain: Memory, patience: float | None) -> Source:
    """Every change, for who sees them all."""
    return Source(
        open=plain.changes, reach=plain.reach, takes=lambda change: True, form=change_frame,
        identity=Identity(plain.principal, ""), patience=patience,
    )  # fmt: skip


async def silent() -> Any:
    """A client that says nothing, and stays."""
    await asyncio.Event().wait()


async def listened(plain: Memory) -> list[dict[str, Any]]:
    """Read a stream from the beginning, as a client that takes its time at certain frames."""
    hub = Hub(plain.store, lambda identity: True)
    told: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        _, found, data = message.get("body", b"").partition(b"\ndata: ")
        if not found:
            return
        told.append(json.loads(data))
        if len(told) in MOMENTS:
            for scope in ("project/b", "project/a"):
                plain.remember(MOMENTS[len(told)], scope=scope)
            # Until the hub has told of it, to whoever listened already.
            await asyncio.sleep(0.2)

    await EventStream(hub, source(plain, 0.5), plain.changes())({}, silent, send)
    hub.close()
    return told
