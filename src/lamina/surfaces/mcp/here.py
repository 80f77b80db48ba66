"""Who asks: the memory of the one whose message is being answered, for all that answers it."""

from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from typing import Any, Final

from anyio import from_thread, to_thread
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from lamina.core.permissions import Permission, check_permission
from lamina.errors import LaminaError
from lamina.memory import Memory
from lamina.surfaces.mcp.refusing import refused

Provider = Callable[[ServerRequestContext[Any, Any]], Memory]
"""Gives the handle of whoever sent a message; its principal is who they are."""

_memory: ContextVar[Memory] = ContextVar("memory")
_request: ContextVar[ServerRequestContext[Any, Any]] = ContextVar("request")
_READING: Final = frozenset(
    (
        "resources/list",
        "resources/read",
        "resources/subscribe",
        "resources/unsubscribe",
        "subscriptions/listen",
        "prompts/get",
        "completion/complete",
    )
)
"""What tells of memories without being a tool: tools say themselves what they ask for."""


class Here:
    """What a tool is given: the memory of whoever calls, and a way to say how far it is."""

    @property
    def memory(self) -> Memory:
        """The store as the caller sees it."""
        return _memory.get()

    def progress(self, done: float, total: float | None = None, words: str | None = None) -> None:
        """Tell a caller who wants to know; called from the thread that does the work."""
        report = _request.get().session.report_progress
        from_thread.run(partial(report, done, total, words))


HERE: Final = Here()


def memory_here() -> Memory:
    """The store as the one sees it whose message is being answered."""
    return _memory.get()


class Asking:
    """Settles who asks before anything else is looked at, for each message anew."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Answer one message in the name of whoever sent it."""
        try:
            memory = await to_thread.run_sync(self._provider, ctx)
            if ctx.method in _READING:
                check_permission(memory.principal, Permission.READ)
        except LaminaError as error:
            raise refused(error) from error
        _memory.set(memory)
        _request.set(ctx)
        return await call_next(ctx)
