"""Where a secret stands in a text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret value: `text[start:end]`, and what it was recognised as."""

    start: int
    end: int
    kind: str


def lowered_in_place(text: str) -> str:
    """Lower-case `text` without moving any character."""
    lowered = text.lower()
    # Some capitals grow when lowered; positions must stay comparable.
    return lowered if len(lowered) == len(text) else "".join(c.lower()[:1] for c in text)
