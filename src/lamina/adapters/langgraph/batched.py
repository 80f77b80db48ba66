"""`AsyncLaminaStore`: calls that a graph makes at the same time share one batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langgraph.store.base.batch import AsyncBatchedBaseStore

from lamina.aio import in_thread

if TYPE_CHECKING:
    from collections.abc import Iterable

    from langchain_core.embeddings import Embeddings
    from langgraph.store.base import IndexConfig, Op, Result

    from lamina.adapters.langgraph.store import LaminaStore


class AsyncLaminaStore(AsyncBatchedBaseStore):
    """A `LaminaStore` for one event loop.

    What is awaited together is carried out together: a thousand puts are one commit. A blocking
    call from the loop is refused, as LangGraph's own asynchronous stores do.
    """

    supports_ttl = True

    def __init__(self, store: LaminaStore) -> None:
        super().__init__()
        self.store = store
        self.ttl_config = store.ttl_config

    @property
    def index_config(self) -> IndexConfig | None:
        """What the store was told about searching."""
        return self.store.index_config

    @property
    def embeddings(self) -> Embeddings | None:
        """The embedder that searches go by, if the user brought one."""
        return self.store.embeddings

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations: reads first, then all writes in one commit."""
        return await self.store.abatch(ops)

    async def sweep_ttl(self) -> int:
        """Forget the items whose time has run out; returns how many."""
        return await in_thread(self.store.sweep_ttl)

    async def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> None:
        """Sweep now and then in a thread."""
        self.store.start_ttl_sweeper(sweep_interval_minutes)

    async def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """Stop sweeping; whether the thread has ended."""
        return await in_thread(self.store.stop_ttl_sweeper, timeout)
