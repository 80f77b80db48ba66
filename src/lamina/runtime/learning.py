"""What the loop keeps of a model's words: nothing that the model was only shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lamina.memory import AgentMemory


def unechoed(memory: AgentMemory, text: str) -> str:
    """A text less what was injected into the prompt."""
    return text
