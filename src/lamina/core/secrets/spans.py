"""Where a secret stands in a text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret value: `text[start:end]`, and what it was recognised as."""

    start: int
    end: int
    kind: str
