"""What hooks write down for the next one: what a session was shown.

Each hook is a process of its own, so what one has to tell the next is a record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina.errors import ConflictError

if TYPE_CHECKING:
    from lamina.core.draft import Draft
    from lamina.memory import AgentMemory

LAYER: Final = "working"
"""It is searched by nobody, and keeps no history."""
_BOOK: Final = "shown"
_MOST: Final = 500


def shown(agent: AgentMemory, session: str) -> list[str]:
    """The records that a session has before it."""
    book = agent.query({**_where(agent, session), "key": _BOOK}, limit=1)
    listed = book[0].data.get("ids") if book else None
    return [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []


def note_shown(agent: AgentMemory, session: str, ids: list[str]) -> None:
    """Write down what a session has before it; one that starts or was compacted begins anew."""
    draft: Draft = {"key": _BOOK, "text": "", "data": {"ids": ids[-_MOST:]}}
    draft |= _where(agent, session)
    try:
        agent.remember_many([draft])
    except ConflictError:
        # At worst something is shown twice.
        return


def _where(agent: AgentMemory, session: str) -> Draft:
    return {"layer": LAYER, "scope": agent.session(session).scope}
