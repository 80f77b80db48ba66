"""Proposers for tests: no model, the same answer every time, or none on demand."""

from collections.abc import Iterable, Mapping
from typing import Any

from lamina.extraction.proposing import Excerpt, Proposal


class ScriptedProposer:
    """Proposes a statement for every line that holds one of the words it was given."""

    def __init__(
        self,
        kinds: Mapping[str, str],
        *,
        name: str = "scripted",
        also: Iterable[Any] = (),
        error: Exception | None = None,
    ) -> None:
        self._kinds = kinds
        """The kind that a line with this word is proposed as."""
        self._also = tuple(also)
        """What it says besides, sense or nonsense."""
        self.name = name
        self.error = error
        """What it raises instead of an answer."""
        self.seen: list[Excerpt] = []

    def __call__(self, excerpt: Excerpt) -> list[Any]:
        """What it was told to say about such an excerpt."""
        self.seen.append(excerpt)
        if self.error is not None:
            raise self.error
        found = [
            Proposal(kind, line.strip(), f"{kind}: {line.strip()}", number, 0.9)
            for number, line in enumerate(excerpt.text.split("\n"), start=excerpt.first)
            for word, kind in self._kinds.items()
            if word in line
        ]
        return [*found, *self._also]
