"""Sessions of the OpenAI Agents SDK in a memory: what was said stays, and is found again.

    from agents import Agent, Runner
    from lamina.adapters.openai_agents import LaminaSession

    session = LaminaSession("ticket-42", lamina.open().agent("helper", project="shop"))
    await Runner.run(agent, "Where is my parcel?", session=session)

Needs the package `openai-agents`: `pip install lamina[openai-agents]`. Items come back as they were
given: secrets in them are sealed where they are kept, and opened again for this session alone.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

try:
    from agents.memory import SessionABC, SessionSettings
except ImportError as error:
    raise ImportError(
        "The OpenAI Agents SDK is not installed: pip install 'lamina[openai-agents]'"
    ) from error

from lamina.adapters import openai_items
from lamina.adapters.naming import name_for
from lamina.adapters.revealing import revealed
from lamina.aio import in_thread
from lamina.core.record import State
from lamina.layers.face import settled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agents.items import TResponseInputItem

    from lamina.core.record import Record
    from lamina.layers.sessions import Session
    from lamina.memory import Memory

_PAGE: Final = 200


class LaminaSession(SessionABC):
    """One conversation, kept as a session of whoever the memory is for."""

    def __init__(
        self,
        session_id: str,
        memory: Memory,
        *,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = SessionSettings().resolve(session_settings)
        self.memory = memory
        self.session: Session = memory.session(name_for(session_id, "session_id"))
        """The session in memory, which can be searched."""
        self._secrets: dict[str, str] = {}

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The last items in the order in which they were added, or all of them."""
        settings = self.session_settings
        most = settings.limit if limit is None and settings is not None else limit
        return await in_thread(self._read, most)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items: all of them, or none."""
        await in_thread(self._add, list(items))

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the last item off and return it; nothing when there is none."""
        return await in_thread(settled, self._pop)

    async def clear_session(self) -> None:
        """Take off all items, in one change."""
        await in_thread(settled, self._clear)

    def _read(self, most: int | None) -> list[TResponseInputItem]:
        if most == 0:
            return []
        found = list(self._newest(None if most is None or most < 0 else most))
        return [self._opened(item, records) for item, records in reversed(found)]

    def _add(self, items: Sequence[TResponseInputItem]) -> None:
        drafts = [one for item in items for one in openai_items.drafts(item, self.session.scope)]
        if drafts:
            self.memory.remember_many(drafts)

    def _pop(self) -> TResponseInputItem | None:
        found = next(self._newest(1), None)
        if found is None:
            return None
        item: TResponseInputItem = self._opened(*found)
        self._forget(found[1])
        return item

    def _clear(self) -> None:
        gone = [one for _, records in self._newest(None) for one in records]
        if gone:
            self._forget(gone)

    def _forget(self, records: Sequence[Record]) -> None:
        """Hide records, unless somebody else has: then there is a conflict."""
        door = self.memory.path_for(self.memory.principal.surface)
        door.commit([door.move(one, State.FORGOTTEN) for one in records])

    def _newest(self, most: int | None) -> Iterator[tuple[Any, list[Record]]]:
        """Each item with its records, the last item first; what cannot be read is passed over."""
        records: list[Record] = []
        count = 0
        for one in self._backwards(most):
            if not openai_items.holds_item(one):
                continue
            records.insert(0, one)
            if not openai_items.is_first(one):
                continue
            with suppress(ValueError):
                yield openai_items.item_of(records), records
                count += 1
            records = []
            if count == most:
                return

    def _backwards(self, most: int | None) -> Iterator[Record]:
        """What was said, the last first; what compaction has put aside was said as well."""
        if most is None:
            yield from reversed(self.session.read(archived=True))
            return
        seen: set[str] = set()
        size = most
        while True:
            found = self.session.read(last=size, archived=True)
            yield from (one for one in reversed(found) if one.id not in seen)
            if len(found) < size:
                return
            # Long items and summaries take more records than there are items.
            seen |= {one.id for one in found}
            size += _PAGE

    def _opened(self, item: Any, records: Sequence[Record]) -> Any:
        """An item as it was given."""
        return revealed(self.memory, item, records, self._secrets)
