"""A store that was told the documents of a collection, by the way in that everyone uses."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lamina import clock
from lamina.bench.scoring import DEPTH
from lamina.bench.sets import Collection, Document
from lamina.core.draft import Draft
from lamina.core.names import to_name
from lamina.core.settings import EMBEDDER, USE
from lamina.memory import Memory
from lamina.opening import open as open_memory
from lamina.results import Hit

if TYPE_CHECKING:
    from lamina.recalling import How

_BATCH: Final = 500
_PROJECT: Final = "project/bench"
SPEAKERS: Final = ("user", "assistant")


@dataclass(frozen=True, slots=True)
class Ranked:
    """The documents that a recall found, best first, and how likely each was held to be."""

    documents: tuple[str, ...]
    scores: tuple[float, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Told:
    """A store with the documents of one collection, ready to be asked."""

    mem: Memory
    collection: Collection
    documents: dict[str, str]
    """Which document each record is."""
    layers: tuple[str, ...]
    written_seconds: float
    embedded_seconds: float
    weights: Mapping[str, float] = field(default_factory=dict)
    """What recall is told of how much signals count."""

    def ask(self, text: str, *, floor: float | None = None, k: int | None = DEPTH) -> Ranked:
        """Ask as a user would who wants so many; what comes back is documents again.

        Conversations end long before the day of the measurement, so a question is asked as if on
        the day of the newest document.
        """
        how: How = {"layers": self.layers, "weights": self.weights}
        if k is not None:
            how["k"] = k
        if floor is not None:
            how["floor"] = floor
        if self.collection.newest is not None:
            how["now"] = self.collection.newest
        start = clock.stopwatch()
        found = self.mem.recall(text, **how)
        return self._ranked(found.hits, clock.stopwatch() - start)

    def _ranked(self, hits: Sequence[Hit], seconds: float) -> Ranked:
        documents = tuple(self.documents[hit.record.id] for hit in hits)
        return Ranked(documents, tuple(hit.score for hit in hits), seconds)


@contextmanager
def told(
    where: str | Path, collection: Collection, embedder: str, tell: Callable[[float], None]
) -> Iterator[Told]:
    """Open a new store, tell it everything, and make all its vectors."""
    with open_memory(where) as mem:
        mem.configure(EMBEDDER, embedder)
        # Else every question would move the answers to those after it.
        mem.configure(USE, "off")
        drafts = list(_drafts(collection.documents))
        start = clock.stopwatch()
        documents: dict[str, str] = {}
        for first in range(0, len(drafts), _BATCH):
            receipt = mem.remember_many(drafts[first : first + _BATCH])
            batch = collection.documents[first : first + _BATCH]
            documents |= {
                outcome.id: document.id
                for outcome, document in zip(receipt.outcomes, batch, strict=True)
            }
        written = clock.stopwatch()
        mem.reindex(on_progress=tell)
        embedded = clock.stopwatch()
        layers = tuple(sorted({draft["layer"] for draft in drafts}))
        yield Told(mem, collection, documents, layers, written - start, embedded - written)


def _drafts(documents: Sequence[Document]) -> Iterator[Draft]:
    scopes = _scopes(documents)
    for document in documents:
        draft: Draft = {"text": document.text, "scope": _PROJECT}
        if document.session is None:
            draft |= {"layer": "knowledge", "kind": "fact"}
        else:
            said_by = document.speaker if document.speaker in SPEAKERS else SPEAKERS[0]
            draft |= {"layer": "session", "kind": said_by, "scope": scopes[document.session]}
        if document.speaker is not None:
            draft["source"] = to_name(document.speaker, SPEAKERS[0])
        if document.timestamp is not None:
            draft["valid_from"] = document.timestamp
        yield draft


def _scopes(documents: Sequence[Document]) -> dict[str, str]:
    """A scope for each session; two sessions whose names read alike are kept apart."""
    scopes: dict[str, str] = {}
    for document in documents:
        if document.session is not None and document.session not in scopes:
            name = to_name(document.session, "session")[:48].rstrip("-_")
            names = (name, *(f"{name}-{number}" for number in range(2, len(scopes) + 3)))
            free = (f"{_PROJECT}/session/{one}" for one in names)
            scopes[document.session] = next(one for one in free if one not in scopes.values())
    return scopes
