"""The bounds of a run: whatever a model does, it ends."""

from __future__ import annotations

from dataclasses import dataclass, fields

from lamina.errors import InvalidInputError


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one run may take; every bound is a whole number from 1 on."""

    window: int = 32_000
    """Tokens that go before the model at once: prompt, memory, history, results and tools."""
    memory: int = 4_000
    """Tokens of these that memory may take."""
    steps: int = 25
    """Times that the model is asked before a run gives up; "continue" goes on from there."""
    calls: int = 16
    """Calls of tools that one step may ask for."""
    same_call: int = 3
    """Times that the same call in a row is made; from then on the model is told to stop."""
    reply_chars: int = 400_000
    """Characters of one reply."""
    tokens: int = 1_000_000
    """Tokens that one run may spend on the model, as the model counts them."""

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if type(value) is not int or value < 1:
                raise InvalidInputError(
                    f"`{one.name}` must be a whole number from 1 on, not {value!r:.40}"
                )
