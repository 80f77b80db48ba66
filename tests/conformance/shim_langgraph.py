"""A pytest plugin: the tests of LangGraph's SQLite package meet Lamina where they import it.

Loaded with `-p`, before their files are. The package under test is not even installed: its modules
are ours, with the names that the tests import.
"""

import shutil
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import lamina
from lamina.adapters.langgraph import AsyncLaminaStore, LaminaCheckpointer, LaminaStore


@contextmanager
def opened(conn: str, index: dict[str, Any] | None, ttl: Any) -> Iterator[LaminaStore]:
    """A store where the tests want a database: in memory, or beside the file that they made."""
    folder = Path(f"{conn}.lamina")
    # Their store reads `text_fields`; LangGraph's own name for it is `fields`.
    told: Any = None if index is None else {**index, "fields": index.get("text_fields")}
    with lamina.open(":memory:" if conn == ":memory:" else str(folder)) as memory:
        store = LaminaStore(memory, index=told, ttl=ttl)
        try:
            yield store
        finally:
            store.stop_ttl_sweeper()
    shutil.rmtree(folder, ignore_errors=True)


class SqliteStore(LaminaStore):
    """Opened as their store is."""

    @classmethod
    @contextmanager
    def from_conn_string(
        cls, conn: str, *, index: dict[str, Any] | None = None, ttl: Any = None
    ) -> Iterator["SqliteStore"]:
        with opened(conn, index, ttl) as store:
            store.__class__ = cls
            yield store  # type: ignore[misc]  # its class is this one by now

    def setup(self) -> None:
        """Nothing to set up."""


class AsyncSqliteStore(AsyncLaminaStore):
    """Opened as their store is."""

    @classmethod
    @asynccontextmanager
    async def from_conn_string(
        cls, conn: str, *, index: dict[str, Any] | None = None, ttl: Any = None
    ) -> AsyncIterator["AsyncSqliteStore"]:
        with opened(conn, index, ttl) as store:
            yield cls(store)

    async def setup(self) -> None:
        """Nothing to set up."""


class SqliteSaver(LaminaCheckpointer):
    """Opened as their checkpointer is; all their tests keep it in memory."""

    @classmethod
    @contextmanager
    def from_conn_string(cls, conn: str) -> Iterator["SqliteSaver"]:
        with lamina.open(conn) as memory:
            yield cls(memory)


class AsyncSqliteSaver(LaminaCheckpointer):
    """Opened as their checkpointer is."""

    @classmethod
    @asynccontextmanager
    async def from_conn_string(cls, conn: str) -> AsyncIterator["AsyncSqliteSaver"]:
        with lamina.open(conn) as memory:
            yield cls(memory)


def _module(name: str, **members: Any) -> None:
    module = ModuleType(name)
    vars(module).update(members)
    sys.modules[name] = module


_module("langgraph.store.sqlite", SqliteStore=SqliteStore, AsyncSqliteStore=AsyncSqliteStore)
_module("langgraph.store.sqlite.aio", AsyncSqliteStore=AsyncSqliteStore)
_module("langgraph.checkpoint.sqlite", SqliteSaver=SqliteSaver)
_module("langgraph.checkpoint.sqlite.aio", AsyncSqliteSaver=AsyncSqliteSaver)
# Parts of their implementation; the tests of these are left out.
_module(
    "langgraph.store.sqlite.base",
    SqliteIndexConfig=dict,
    **dict.fromkeys(
        ("NS_MATCH_FUNCTION", "BaseSqliteStore", "_escape_glob_literal", "_namespace_match_pattern")
    ),
)
_module("langgraph.checkpoint.sqlite.utils", _metadata_predicate=None, search_where=None)
