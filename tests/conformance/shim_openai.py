"""A plugin for pytest: tests of the sessions of the OpenAI Agents SDK, run against ours.

Where they open a file of SQLite, a store is opened beside it. Where they write a damaged row into
its table, an item that cannot be read is written into the session.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import agents
import agents.memory

import lamina
from lamina.adapters.openai_agents import LaminaSession
from lamina.memory import Memory

_STORES: dict[str, Memory] = {}


def _store(db_path: str | Path) -> Memory:
    """The store that stands for a file; one in memory is each session's own."""
    if str(db_path) == ":memory:":
        opened = lamina.open(":memory:")
    elif str(db_path) in _STORES:
        return _STORES[str(db_path)]
    else:
        opened = _STORES[str(db_path)] = lamina.open(f"{db_path}-store")
    opened.configure("recall.embedder", "off")
    return opened


class _Rows:
    """As much of a connection as it takes to write a damaged row."""

    def __init__(self, session: LaminaSession) -> None:
        self._session = session

    def execute(self, sql: str, row: tuple[str, str]) -> None:
        self._session.session.append("user", "damaged", json=row[1], part=1)

    def commit(self) -> None:
        """What was written is committed already."""


class Session(LaminaSession):
    """Our session, made as theirs is."""

    messages_table = "agent_messages"

    def __init__(
        self,
        session_id: str,
        db_path: str | Path = ":memory:",
        session_settings: agents.SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        memory = _store(db_path).agent("suite", project="suite")
        super().__init__(session_id, memory, session_settings=session_settings)

    def close(self) -> None:
        """A memory is closed by whoever opened it, when the run ends."""

    @contextmanager
    def _locked_connection(self) -> Iterator[_Rows]:
        yield _Rows(self)


agents.SQLiteSession = Session  # type: ignore[assignment,misc]
agents.memory.SQLiteSession = Session  # type: ignore[assignment,misc]
