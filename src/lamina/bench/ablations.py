"""What each signal is worth: the same questions, asked of a recall that lacks one of them.

Either the store keeps something to itself, or the ranking leaves out one part of its sum. What both
have in common, a question's vector and what the store found, is worked out once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, cast

from lamina import config
from lamina.bench.sets import Document
from lamina.bench.telling import SPEAKERS, Told
from lamina.core.record import Record
from lamina.core.settings import EMBEDDER
from lamina.embedders.protocol import Embedder, Role
from lamina.embedders.registry import open_embedder
from lamina.embedding import Vectors
from lamina.memory import Memory
from lamina.stores.base import Store
from lamina.stores.questions import Found, Search
from lamina.vault import Vault

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

_SAME_TIME: Final = datetime(2000, 1, 1, tzinfo=UTC)


def _is_said(document: Document) -> bool:
    return document.session is not None


def _is_dated(document: Document) -> bool:
    return document.timestamp is not None


def _is_signed(document: Document) -> bool:
    return document.speaker not in (None, *SPEAKERS)


@dataclass(frozen=True, slots=True)
class Ablation:
    """A signal that a recall can do without."""

    name: str
    search: Callable[[Search], Search] = lambda search: search
    record: Callable[[Record], Record] = lambda record: record
    part: str | None = None
    """The part of a ranking's sum to leave out."""
    is_in: Callable[[Document], bool] = lambda document: True
    """Whether a document has any of it."""


ABLATIONS: Final = (
    Ablation("all words", search=lambda search: replace(search, terms=())),
    Ablation("all vectors", search=lambda search: replace(search, vector=None)),
    Ablation("all neighbours", search=lambda search: replace(search, around=False),
             is_in=_is_said),
    Ablation("all times", is_in=_is_dated, record=lambda record: replace(
        record, valid_from=None, created_at=_SAME_TIME, updated_at=_SAME_TIME
    )),
    Ablation("all speakers", is_in=_is_signed,
             record=lambda record: replace(record, source=SPEAKERS[0])),
    *(Ablation(part, part=part) for part in ("words", "coverage", "meaning")),
    *(Ablation(part, part=part, is_in=_is_said)
      for part in ("answers", "thread", "followed", "replied", "company", "asks", "voice")),
    *(Ablation(part, part=part, is_in=_is_dated) for part in ("time", "recency")),
)  # fmt: skip
"""Parts that no document of a set can have, such as keys and tags, are left out."""


@dataclass(slots=True)
class Laboratory:
    """One told store, to be asked in all ways."""

    told: Told
    _found: dict[object, Found] = field(default_factory=dict)

    def variants(self) -> Iterator[tuple[Ablation, Told | None]]:
        """Each ablation with the store seen so; `None` where it makes no difference."""
        embedder = open_embedder(self.told.mem.settings()[EMBEDDER], config.load_services())
        given = None if embedder is None else _Remembering(embedder)
        for ablation in ABLATIONS:
            if not any(map(ablation.is_in, self.told.collection.documents)):
                yield ablation, None
                continue
            store = cast("Store", _Blind(self.told.mem.store, ablation, self._found))
            # Sealed values are not opened for a recall, so any key will do.
            vault, who = Vault.ephemeral(), self.told.mem.principal
            mem = Memory(store, vault, who, vectors=Vectors(store, given))
            weights = {} if ablation.part is None else {ablation.part: 0.0}
            yield ablation, replace(self.told, mem=mem, weights=weights)


class _Blind:
    """A store that keeps something to itself, and remembers what it was asked."""

    def __init__(self, inner: Store, ablation: Ablation, found: dict[object, Found]) -> None:
        self._inner = inner
        self._ablation = ablation
        self._found = found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def search(self, search: Search) -> Found:
        wanted = self._ablation.search(search)
        # The moment of asking, which differs every time, changes nothing here.
        key = (wanted.terms, wanted.vector, wanted.around, wanted.limit)
        if key not in self._found:
            self._found[key] = self._inner.search(wanted)
        found = self._found[key]
        seen = (
            replace(match, record=self._ablation.record(match.record)) for match in found.matches
        )
        return replace(found, matches=tuple(seen))


class _Remembering:
    """An embedder that is asked the same questions again and again."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._known: dict[tuple[tuple[str, ...], Role], NDArray[np.float32]] = {}

    @property
    def fingerprint(self) -> str:
        return self._inner.fingerprint

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    @property
    def is_local(self) -> bool:
        return self._inner.is_local

    def embed(self, texts: "Sequence[str]", role: Role) -> "NDArray[np.float32]":
        key = (tuple(texts), role)
        if key not in self._known:
            self._known[key] = self._inner.embed(texts, role)
        return self._known[key]
