"""Blocking work for an event loop: in a thread, and never left half known.

A task of asyncio that is cancelled stops waiting for its thread at once, and nobody would know
whether something was written. Here it waits until that is known, and is cancelled then.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from anyio import to_thread

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


async def in_thread(function: Callable[..., T], *arguments: Any) -> T:
    """Call a function in a worker thread."""
    work = partial(to_thread.run_sync, function, *arguments)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        # Another sort of event loop, whose cancellation waits for threads by itself.
        return await work()
    task = asyncio.ensure_future(work())
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
