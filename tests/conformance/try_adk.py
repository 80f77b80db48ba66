"""The memory service of Google's ADK beside its own in memory: the same calls, the same found."""

import asyncio
from pathlib import Path

import pytest
from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService
from google.adk.memory.in_memory_memory_service import InMemoryMemoryService
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai import types

import lamina
from lamina.adapters.adk import LaminaMemoryService

SAID = {
    "e1": ("user", "My parcel is in Utrecht"),
    "e2": ("helper", "It leaves Utrecht tomorrow"),
    "e3": ("user", "I live in Groningen"),
}


def content(text: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=text)])


def session(user: str = "user", app: str = "shop") -> Session:
    events = [
        Event(id=name, author=author, content=content(text))
        for name, (author, text) in SAID.items()
    ]
    empty = Event(id="e4", author="helper")
    return Session(id="s-1", app_name=app, user_id=user, events=[*events, empty])


def ours(folder: Path) -> LaminaMemoryService:
    opened = lamina.open(folder)
    opened.configure("recall.embedder", "off")
    return LaminaMemoryService(opened)


def found(
    service: BaseMemoryService, query: str, user: str = "user", app: str = "shop"
) -> list[MemoryEntry]:
    answer = asyncio.run(service.search_memory(app_name=app, user_id=user, query=query))
    return list(answer.memories)


def told(entries: list[MemoryEntry]) -> set[str]:
    return {part.text or "" for one in entries for part in one.content.parts or []}


@pytest.mark.parametrize("query", ["Utrecht", "Groningen", "zebra", ""])
def test_both_find_the_same(query: str, tmp_path: Path) -> None:
    mine, theirs = ours(tmp_path), InMemoryMemoryService()
    for service in (mine, theirs):
        # A session may be added several times.
        for _ in range(2):
            asyncio.run(service.add_session_to_memory(session()))
    mine_found, theirs_found = found(mine, query), found(theirs, query)
    # Ours may add what was said right before and after, behind what was asked for.
    assert told(mine_found[: len(theirs_found)]) == told(theirs_found)
    assert bool(mine_found) == bool(theirs_found)
    assert len({one.id for one in mine_found}) == len(mine_found) <= len(SAID)


def test_users_and_apps_are_kept_apart(tmp_path: Path) -> None:
    mine = ours(tmp_path)
    asyncio.run(mine.add_session_to_memory(session("Ada Lovelace", "Shop 1")))
    assert found(mine, "Groningen", "Ada Lovelace", "Shop 1")
    assert found(mine, "Groningen", "Bob", "Shop 1") == []
    assert found(mine, "Groningen", "Ada Lovelace", "Shop 2") == []


def test_no_two_of_one_project_are_taken_for_each_other(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as whole:
        mine = LaminaMemoryService(whole.project("web"))
        asyncio.run(mine.add_session_to_memory(session("bob", "shop admin")))
        assert found(mine, "Groningen", "bob", "shop admin")
        assert found(mine, "Groningen", "admin bob", "shop") == []


def test_what_is_deleted_stays_away(tmp_path: Path) -> None:
    mine = ours(tmp_path)
    asyncio.run(mine.add_session_to_memory(session()))
    entry = found(mine, "Groningen")[0]
    assert entry.author == "user"
    asyncio.run(mine.delete_memory(app_name="shop", user_id="user", memory_id=entry.id))
    asyncio.run(mine.add_session_to_memory(session()))
    assert "I live in Groningen" not in told(found(mine, "Groningen"))


def test_memories_are_added_as_they_are(tmp_path: Path) -> None:
    mine = ours(tmp_path)
    for city in ("Groningen", "Leeuwarden"):
        entry = MemoryEntry(id="home", content=content(f"Lives in {city}"))
        asyncio.run(mine.add_memory(app_name="shop", user_id="user", memories=[entry]))
    assert told(found(mine, "Lives in")) == {"Lives in Leeuwarden"}
