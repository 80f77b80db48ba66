"""The memory service of Google's Agent Development Kit on a memory.

    from google.adk.runners import Runner
    from lamina.adapters.adk import LaminaMemoryService

    runner = Runner(…, memory_service=LaminaMemoryService(lamina.open("memory")))

Needs the package `google-adk`: `pip install lamina[adk]`. Each user of an app is an agent of the
project that is called like the app: users do not see each other, and all see what the project
shares. Secrets are sealed; what is found shows words in their place.
"""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

try:
    from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.genai import types
except ImportError as error:
    raise ImportError("Google ADK is not installed: pip install 'lamina[adk]'") from error

from lamina.adapters.naming import name_for
from lamina.aio import in_thread
from lamina.core.canonical import keepable
from lamina.core.layers import LAYERS
from lamina.core.sealed import hidden
from lamina.core.text.cut import head_and_tail
from lamina.errors import NotFoundError
from lamina.layers.face import settled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from google.adk.events.event import Event
    from google.adk.sessions.session import Session

    from lamina.core.draft import Draft
    from lamina.core.record import Record
    from lamina.memory import AgentMemory, Memory

_SEARCHED: Final = [*(layer.name for layer in LAYERS.values() if layer.recalled), "session"]
_NO_SESSION: Final = "no-session"
_LONGEST: Final = 60_000
_PAGE: Final = 200
_EVERY_STATE: Final = ["current", "archived", "forgotten"]


class LaminaMemoryService(BaseMemoryService):
    """What was said in sessions, and what was remembered besides, searched by words and meaning."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    async def add_session_to_memory(self, session: Session) -> None:
        """Keep what was said in a session; what is known already is not kept again."""
        await self.add_events_to_memory(
            app_name=session.app_name, user_id=session.user_id, events=session.events,
            session_id=session.id,
        )  # fmt: skip

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Keep some events of a session; what was deleted does not come back."""
        agent = self._agent(app_name, user_id)
        await in_thread(_keep, agent, session_id or _NO_SESSION, list(events))

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Keep memories as they are: one with an id takes the place of that of before."""
        agent = self._agent(app_name, user_id)
        said = dict(custom_metadata or {})
        drafts = [_remembered(one, said) for one in memories if _text(one.content)]
        if drafts:
            await in_thread(agent.remember_many, drafts)

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str
    ) -> SearchMemoryResponse:
        """What is remembered about something, best first; nothing relevant, nothing returned."""
        if not query.strip():
            return SearchMemoryResponse()
        agent = self._agent(app_name, user_id)

        def search() -> list[MemoryEntry]:
            found = agent.recall(query, layers=_SEARCHED)
            return [_entry(hit.record) for hit in found.hits]

        return SearchMemoryResponse(memories=await in_thread(search))

    async def delete_memory(
        self, *, app_name: str, user_id: str, memory_id: str | None = None
    ) -> None:
        """Hide one memory, by the id that a search has shown; `undo` brings it back."""
        if memory_id:
            with suppress(NotFoundError):
                await in_thread(self._agent(app_name, user_id).forget, memory_id)

    def _agent(self, app_name: str, user_id: str) -> AgentMemory:
        """The memory of one user of one app; in that of one project, apps are kept apart too."""
        if self._memory.principal.root is not None:
            # Two texts beside each other must not read like two others.
            both = json.dumps([app_name, user_id], ensure_ascii=False)
            return self._memory.agent(name_for(both, "user_id"))
        project = name_for(app_name, "app_name")
        return self._memory.agent(name_for(user_id, "user_id"), project=project)


def _keep(agent: AgentMemory, session: str, events: Sequence[Event]) -> None:
    scope = agent.session(name_for(session, "session_id")).scope
    wanted = {str(one.id): one for one in events if _text(one.content)}
    for at in range(0, len(wanted), _PAGE):
        page = dict(islice(wanted.items(), at, at + _PAGE))
        # Somebody else may keep the same session.
        settled(partial(_keep_new, agent, scope, page))


def _keep_new(agent: AgentMemory, scope: str, events: Mapping[str, Event]) -> None:
    where = {"layer": "session", "scope": scope, "state": {"$in": _EVERY_STATE}}
    # The same id may stand once for each of the two that speak.
    found = agent.query({**where, "key": {"$in": list(events)}}, limit=2 * _PAGE)
    known = {one.key for one in found}
    new = [_said(event, scope) for name, event in events.items() if name not in known]
    if new:
        agent.remember_many(new)


def _said(event: Event, scope: str) -> Draft:
    author = str(event.author or "")
    return {
        "layer": "session", "scope": scope, "key": str(event.id), "expect": 0,
        "kind": "user" if author == "user" else "assistant", "text": _text(event.content),
        "data": {"author": author},
        "valid_from": datetime.fromtimestamp(event.timestamp, UTC),
    }  # fmt: skip


def _remembered(entry: MemoryEntry, said: dict[str, object]) -> Draft:
    data: dict[str, Any] = {**said, **entry.custom_metadata}
    draft: Draft = {"text": _text(entry.content), "data": data}
    return {**draft, "key": entry.id} if entry.id else draft


def _text(content: types.Content | None) -> str:
    parts = (content.parts or []) if content is not None else []
    told = "\n".join(part.text for part in parts if part.text and not part.thought)
    return head_and_tail(keepable(told).strip(), _LONGEST)


def _entry(record: Record) -> MemoryEntry:
    role = "user" if record.kind == "user" else "model"
    author = record.data.get("author")
    when = record.valid_from or record.updated_at
    return MemoryEntry(
        id=record.id,
        author=author if isinstance(author, str) and author else record.source,
        timestamp=when.isoformat(),
        content=types.Content(role=role, parts=[types.Part(text=hidden(record.text))]),
    )
