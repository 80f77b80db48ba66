"""`AsyncMemory`: the same `Memory`, called from an event loop; no second implementation.

A store blocks whatever we do, so each call runs in a worker thread. Cancelling a call waits for its
transaction to finish: a write is never left behind half known.

The faces of a handle are mirrored by what they are, so there is nothing here to forget: each method
of `memory.now` is awaited on `aio_memory.now`. A type checker sees them as `Any`.
"""

import asyncio
import contextlib
import functools
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, Protocol, Self, TypeVar

from anyio import CapacityLimiter, from_thread, move_on_after, to_thread

from lamina import opening, remote
from lamina.clock import stopwatch
from lamina.core.announcements import Announcement
from lamina.core.changes import Changed
from lamina.core.principal import Principal
from lamina.embedders.protocol import Embedder
from lamina.feed import check_timeout
from lamina.layers.blackboard import Blackboard
from lamina.layers.subscription import News, Signal
from lamina.memory import AgentMemory, Memory

if TYPE_CHECKING:
    from lamina.runtime import Agent, Run

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
_THREADS: Final = 16
_NAP_SECONDS: Final = 0.2
"""How long a feed waits in its thread at a time, and so how long cancelling it may take."""


def _threaded(
    method: Callable[Concatenate[Any, P], R],
) -> Callable[Concatenate["AsyncMemory", P], Coroutine[Any, Any, R]]:
    @functools.wraps(method)
    async def call(self: "AsyncMemory", /, *args: P.args, **kwargs: P.kwargs) -> R:
        work = functools.partial(method, self.memory, *args, **kwargs)
        return await in_thread(work, limiter=self.limiter)

    return call


async def in_thread(
    function: Callable[..., R], *arguments: Any, limiter: CapacityLimiter | None = None
) -> R:
    """Call a function in a worker thread, and never leave what it does half known.

    A task of asyncio that is cancelled would stop waiting for its thread at once. Here it waits for
    the end, and is cancelled then.
    """
    work = to_thread.run_sync(function, *arguments, limiter=limiter)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        # Another sort of event loop, whose cancellation waits for threads by itself.
        return await work
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = cancelled or error
    if cancelled is None:
        return task.result()
    # Asked for, so that nobody complains that nobody did.
    task.exception()
    raise cancelled


class _Steps(Protocol[T_co]):
    """A feed that is asked step by step: an end now need not be the end for ever."""

    @property
    def cursor(self) -> str: ...

    def __next__(self) -> T_co: ...


class AsyncFeed(AsyncIterator[T]):
    """A feed for `async for`: it is opened by the first step, and waits outside the event loop.

    `cursor` is the place behind the last item that was handed out, also after a cancellation.
    """

    def __init__(
        self,
        start: Callable[[float], _Steps[T]],
        after: str | None,
        *,
        follow: bool,
        timeout: float | None,
    ) -> None:
        self._start = start
        self.cursor = after
        self._follow = follow
        self._patience = check_timeout(timeout)
        self._feed: _Steps[T] | None = None
        self._ready: deque[tuple[T, str]] = deque()
        self._lock = threading.Lock()
        self._limiter = CapacityLimiter(1)
        """Its own: waiting feeds must not take the threads that everything else runs in."""
        self._closed = False

    async def __anext__(self) -> T:
        quiet_since = stopwatch()
        while not self._closed:
            await to_thread.run_sync(self._step, limiter=self._limiter)
            if self._ready:
                item, self.cursor = self._ready.popleft()
                return item
            quiet = stopwatch() - quiet_since
            if not self._follow or (self._patience is not None and quiet >= self._patience):
                break
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """End the feed."""
        self._closed = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    def _step(self) -> None:
        """Have the next item ready. It stays there if the one who waits for it is cancelled."""
        with self._lock:
            if self._ready:
                return
            if self._feed is None:
                nap = _NAP_SECONDS if self._patience is None else self._patience
                self._feed = self._start(min(nap, _NAP_SECONDS))
            with contextlib.suppress(StopIteration):
                self._ready.append((next(self._feed), self._feed.cursor))


class AsyncFace:
    """A face whose methods are awaited; what they would hand out bit by bit comes as a list."""

    def __init__(self, face: Any, limiter: CapacityLimiter) -> None:
        self._face = face
        self._limiter = limiter

    def __call__(self, *args: Any, **kwargs: Any) -> "AsyncFace":
        """One of several, as in `agent.session("s-1")`."""
        return AsyncFace(self._face(*args, **kwargs), self._limiter)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._face, name)
        if name.startswith("_") or not callable(found):
            return found

        @functools.wraps(found)
        async def call(*args: Any, **kwargs: Any) -> Any:
            work = functools.partial(_whole, found, *args, **kwargs)
            return await in_thread(work, limiter=self._limiter)

        return call


def _whole(method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The answer with nothing left to fetch, which would block the event loop later."""
    answer = method(*args, **kwargs)
    return list(answer) if isinstance(answer, Iterator) else answer


class AsyncBlackboard(AsyncFace):
    """The board, where waiting can be cancelled."""

    def subscribe(
        self, prefix: str = "", *, after: str | None = None, timeout: float | None = None
    ) -> AsyncFeed[News]:
        """Every change of keys that begin so: for `async for`. Without `after` it begins there."""
        start = functools.partial(self._face.subscribe, prefix, after=after)
        return AsyncFeed(lambda nap: start(timeout=nap), after, follow=True, timeout=timeout)

    async def wait_for(self, key: str, *, timeout: float | None = None) -> Signal | None:
        """What stands under a key, as soon as anything does; nothing when time runs out."""
        patience = check_timeout(timeout)
        begun = await to_thread.run_sync(functools.partial(self._face.subscribe, key, timeout=0))
        found: Signal | None = await self.read(key)
        if found is not None:
            return found
        with move_on_after(patience):
            async for news in self.subscribe(key, after=begun.cursor):
                if news.key == key and news.signal is not None:
                    return news.signal
        return None


class AsyncMemory:
    """An awaitable view of a `Memory`."""

    def __init__(self, memory: Memory, limiter: CapacityLimiter | None = None) -> None:
        self.memory = memory
        self.limiter = limiter or CapacityLimiter(_THREADS)

    def __getattr__(self, name: str) -> Any:
        """A face by the name that it has on the handle."""
        is_face = isinstance(getattr(Memory, name, None), functools.cached_property)
        if name.startswith("_") or not is_face:
            raise AttributeError(f"AsyncMemory has no attribute {name!r}")
        face = getattr(self.memory, name)
        mirror = AsyncBlackboard if isinstance(face, Blackboard) else AsyncFace
        return mirror(face, self.limiter)

    def project(self, name: str) -> "AsyncMemory":
        """The same store confined to one project."""
        return AsyncMemory(self.memory.project(name), self.limiter)

    def agent(
        self, name: str, *, project: str | None = None, role: str = "agent"
    ) -> "AsyncAgentMemory":
        """The same store as an agent sees it."""
        return AsyncAgentMemory(self.memory.agent(name, project=project, role=role), self.limiter)

    def acting(self, principal: Principal) -> "AsyncMemory":
        """The same store as somebody else sees it."""
        memory = self.memory.acting(principal)
        kind = AsyncAgentMemory if isinstance(memory, AgentMemory) else AsyncMemory
        return kind(memory, self.limiter)

    def changes(
        self,
        after: str | None = None,
        *,
        scope: str | None = None,
        follow: bool = False,
        timeout: float | None = None,
    ) -> AsyncFeed[Changed]:
        """What happened behind a cursor, and with `follow` what happens: for `async for`."""
        start = functools.partial(self.memory.changes, after, scope=scope, follow=follow)
        return AsyncFeed(lambda nap: start(timeout=nap), after, follow=follow, timeout=timeout)

    def events(
        self,
        after: str | None = None,
        *,
        names: Sequence[str] | None = None,
        scope: str | None = None,
        follow: bool = False,
        timeout: float | None = None,
    ) -> AsyncFeed[Announcement]:
        """Reads, writes, flushes, compactions and searches as typed values: for `async for`."""
        start = functools.partial(
            self.memory.events, after, names=names, scope=scope, follow=follow
        )
        return AsyncFeed(lambda nap: start(timeout=nap), after, follow=follow, timeout=timeout)

    remember = _threaded(Memory.remember)
    remember_many = _threaded(Memory.remember_many)
    edit = _threaded(Memory.edit)
    forget = _threaded(Memory.forget)
    accept = _threaded(Memory.accept)
    undo = _threaded(Memory.undo)
    erase = _threaded(Memory.erase)
    would_erase = _threaded(Memory.would_erase)
    index = _threaded(Memory.index)
    get = _threaded(Memory.get)
    query = _threaded(Memory.query)
    count = _threaded(Memory.count)
    census = _threaded(Memory.census)
    recall = _threaded(Memory.recall)
    context = _threaded(Memory.context)
    why_not = _threaded(Memory.why_not)
    history = _threaded(Memory.history)
    cursor = _threaded(Memory.cursor)
    announce = _threaded(Memory.announce)
    reveal = _threaded(Memory.reveal)
    settings = _threaded(Memory.settings)
    configure = _threaded(Memory.configure)
    vectors = _threaded(Memory.vectors)
    catch_up = _threaded(Memory.catch_up)
    reindex = _threaded(Memory.reindex)
    backup = _threaded(Memory.backup)
    check = _threaded(Memory.check)
    anchor = _threaded(Memory.anchor)
    verify = _threaded(Memory.verify)
    maintain = _threaded(Memory.maintain)
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


class AsyncAgentMemory(AsyncMemory):
    """An awaitable view of an `AgentMemory`."""

    update_now = _threaded(AgentMemory.update_now)
    append_log = _threaded(AgentMemory.append_log)
    recall_memory = _threaded(AgentMemory.recall_memory)
    save_fact = _threaded(AgentMemory.save_fact)
    get_fact = _threaded(AgentMemory.get_fact)
    format_context_for_prompt = _threaded(AgentMemory.format_context_for_prompt)
    compact_log = _threaded(AgentMemory.compact_log)


async def open(  # noqa: A001 - `lamina.aio.open` is the name a user would say
    where: str | Path | None = None,
    *,
    hot: str | None = None,
    project: str | None = None,
    name: str = "user",
    role: str = "admin",
    embedder: Embedder | None = None,
) -> AsyncMemory:
    """Open a store as `lamina.open` does, without blocking the event loop."""
    work = functools.partial(
        opening.open, where, hot=hot, project=project, name=name, role=role, embedder=embedder
    )
    return AsyncMemory(await to_thread.run_sync(work))


async def connect(
    url: str, *, key: str | None = None, project: str | None = None, timeout: float = 30.0
) -> AsyncMemory:
    """Connect to a server as `lamina.connect` does, without blocking the event loop."""
    work = functools.partial(remote.connect, url, key=key, project=project, timeout=timeout)
    found = await to_thread.run_sync(work)
    return (AsyncAgentMemory if isinstance(found, AgentMemory) else AsyncMemory)(found)


async def run(
    agent: "Agent",
    text: str | None,
    *,
    session: str = "main",
    on_text: Callable[[str], None] | None = None,
    wait: float = 0.0,
) -> "Run":
    """Let an agent answer as `Agent.run` does; `on_text` is called in the event loop.

    Cancelling waits for the run to end: its steps are recorded, and it is not left half done.
    """

    def told(piece: str) -> None:
        if on_text is not None:
            from_thread.run_sync(on_text, piece)

    work = functools.partial(agent.run, text, session=session, on_text=told, wait=wait)
    return await to_thread.run_sync(work)
