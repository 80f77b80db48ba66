"""What the loop keeps of a model's words: nothing that the model was only shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina.core.text.cut import head_of
from lamina.runtime.journal import one_line

if TYPE_CHECKING:
    from lamina.memory import AgentMemory

_LOOKED_AT: Final = 4_000
_NOTHING_NEW: Final = "(what was remembered)"


def unechoed(memory: AgentMemory, text: str) -> str:
    """A text less what was put before the model."""
    from lamina.paging.echoes import without_echoes

    return without_echoes(memory, text)


def in_log(memory: AgentMemory, text: str) -> str:
    """What the log says of a text: a line of what is new in it."""
    # Much less than this is shown; looking all of a large text through would take its time.
    return one_line(unechoed(memory, head_of(text, _LOOKED_AT))) or _NOTHING_NEW
