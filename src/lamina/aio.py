"""`AsyncMemory`: the same `Memory`, called from an event loop; no second implementation.

A store blocks whatever we do, so each call runs in a worker thread. Cancelling a call waits for its
transaction to finish: a write is never left behind half known.
"""

import functools
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from anyio import CapacityLimiter, to_thread

from lamina import opening
from lamina.memory import Memory

P = ParamSpec("P")
R = TypeVar("R")
_THREADS = 16


def _threaded(
    method: Callable[Concatenate[Memory, P], R],
) -> Callable[Concatenate["AsyncMemory", P], Coroutine[Any, Any, R]]:
    @functools.wraps(method)
    async def call(self: "AsyncMemory", /, *args: P.args, **kwargs: P.kwargs) -> R:
        work = functools.partial(method, self.memory, *args, **kwargs)
        return await to_thread.run_sync(work, limiter=self.limiter)

    return call


class AsyncMemory:
    """An awaitable view of a `Memory`."""

    def __init__(self, memory: Memory, limiter: CapacityLimiter | None = None) -> None:
        self.memory = memory
        self.limiter = limiter or CapacityLimiter(_THREADS)

    def project(self, name: str) -> "AsyncMemory":
        """The same store confined to one project."""
        return AsyncMemory(self.memory.project(name), self.limiter)

    def agent(self, name: str, *, project: str | None = None, role: str = "agent") -> "AsyncMemory":
        """The same store as an agent sees it."""
        return AsyncMemory(self.memory.agent(name, project=project, role=role), self.limiter)

    remember = _threaded(Memory.remember)
    remember_many = _threaded(Memory.remember_many)
    edit = _threaded(Memory.edit)
    forget = _threaded(Memory.forget)
    accept = _threaded(Memory.accept)
    undo = _threaded(Memory.undo)
    erase = _threaded(Memory.erase)
    get = _threaded(Memory.get)
    query = _threaded(Memory.query)
    count = _threaded(Memory.count)
    recall = _threaded(Memory.recall)
    history = _threaded(Memory.history)
    reveal = _threaded(Memory.reveal)
    settings = _threaded(Memory.settings)
    configure = _threaded(Memory.configure)
    check = _threaded(Memory.check)
    flush = _threaded(Memory.flush)
    close = _threaded(Memory.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


async def open(  # noqa: A001 - `lamina.aio.open` is the name a user would say
    where: str | Path | None = None,
    *,
    project: str | None = None,
    name: str = "user",
    role: str = "admin",
) -> AsyncMemory:
    """Open a store as `lamina.open` does, without blocking the event loop."""
    work = functools.partial(opening.open, where, project=project, name=name, role=role)
    return AsyncMemory(await to_thread.run_sync(work))
