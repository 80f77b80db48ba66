"""What each signal is worth: the same questions, asked of a recall that is blind to one of them.

Blindness is in what the store answers, so that it holds for whatever a ranking makes of it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final, cast

from lamina.bench.sets import Document
from lamina.bench.telling import SPEAKERS, Told
from lamina.core.record import Record
from lamina.memory import Memory
from lamina.stores.base import Store
from lamina.stores.questions import Found, Search
from lamina.vault import Vault

_SAME_TIME: Final = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Ablation:
    """A signal that a recall can be made blind to."""

    name: str
    search: Callable[[Search], Search] = lambda search: search
    record: Callable[[Record], Record] = lambda record: record
    is_in: Callable[[Document], bool] = lambda document: True
    """Whether there is anything to be blind to in a document."""

    def blinded(self, told: Told) -> Told | None:
        """The same store, seen without the signal; `None` where none of its documents has it."""
        if not any(map(self.is_in, told.collection.documents)):
            return None
        store = cast("Store", _Blind(told.mem.store, self))
        # Sealed values are not opened for a recall, so any key will do.
        return replace(told, mem=Memory(store, Vault.ephemeral(), told.mem.principal))


class _Blind:
    """A store that keeps something to itself."""

    def __init__(self, inner: Store, ablation: Ablation) -> None:
        self._inner = inner
        self._ablation = ablation

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def search(self, search: Search) -> Found:
        found = self._inner.search(self._ablation.search(search))
        seen = (
            replace(match, record=self._ablation.record(match.record)) for match in found.matches
        )
        return replace(found, matches=tuple(seen))


ABLATIONS: Final = (
    Ablation("words", search=lambda search: replace(search, terms=())),
    Ablation("vectors", search=lambda search: replace(search, vector=None)),
    Ablation(
        "neighbours",
        search=lambda search: replace(search, around=False),
        is_in=lambda document: document.session is not None,
    ),
    Ablation(
        "times",
        record=lambda record: replace(
            record, valid_from=None, created_at=_SAME_TIME, updated_at=_SAME_TIME
        ),
        is_in=lambda document: document.timestamp is not None,
    ),
    Ablation(
        "speakers",
        record=lambda record: replace(record, source=SPEAKERS[0]),
        is_in=lambda document: document.speaker not in (None, *SPEAKERS),
    ),
)
