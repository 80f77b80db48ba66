"""What a model is shown of memory: at the start of a session, and with each thing it is asked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from lamina.paging.asking import LAYERS
from lamina.surfaces.hooks import books

if TYPE_CHECKING:
    from lamina.memory import AgentMemory
    from lamina.paging import Context

MOST: Final = 9_600
"""How many characters a harness takes at most is 10,000, or about that."""
_FOR_A_PROMPT: Final = 6_000
_EACH: Final = 4
"""How many characters count as a token here: it is characters that are limited."""
_LAYERS: Final = (*LAYERS, "session")
_NOT_SHOWN: Final = ("tool_call", "tool_result")
"""What tools were given and gave is found in the files, and truer there."""


def at_start(agent: AgentMemory, session: str) -> str:
    """What is being done, was done last, and is known; nothing where there is nothing."""
    found = agent.context(budget=MOST // _EACH, session=session, count=_tokens)
    books.note_shown(agent, session, list(found.ids))
    return found.text


def for_prompt(agent: AgentMemory, session: str, prompt: str) -> str:
    """What is remembered about what was asked, unless this session was shown it before."""
    if not prompt.strip():
        return ""
    found = agent.context(
        prompt[:_FOR_A_PROMPT], budget=_FOR_A_PROMPT // _EACH, session=session, hot=False,
        layers=list(_LAYERS), count=_tokens,
    )  # fmt: skip
    shown = books.shown(agent, session)
    fresh = _less(found, set(shown))
    if fresh.entries:
        books.note_shown(agent, session, [*shown, *fresh.ids])
    return fresh.text


def _tokens(text: str) -> int:
    return -(-len(text) // _EACH)


def _less(found: Context, known: set[str]) -> Context:
    entries = (
        one for one in found.entries
        if one.record.id not in known and one.record.kind not in _NOT_SHOWN
    )  # fmt: skip
    return replace(found, entries=tuple(entries))
