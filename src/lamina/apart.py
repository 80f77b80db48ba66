"""Some records apart from every store: read and searched on their own, in memory.

Whoever holds one can come upon these records and no other, and how they score tells nothing of what
lies beside them elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina.announcing import Announcer
from lamina.core.access import EVERYTHING
from lamina.core.principal import Principal, Surface
from lamina.core.settings import EMBEDDER, FLOOR, PROVIDER, USE, effective
from lamina.embedding import Vectors
from lamina.reading import Asked, ReadPath
from lamina.recalling import RecallPath
from lamina.stores.ephemeral import EphemeralStore
from lamina.vault import Vault
from lamina.writing import WritePath

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.core.record import Record
    from lamina.embedders.protocol import Embedder
    from lamina.reading import Where
    from lamina.recalling import How
    from lamina.results import Recall

_FOLLOWED: Final = frozenset((EMBEDDER, FLOOR, PROVIDER))
"""What holds for searching in the store that the records come from, holds here too."""


class Apart:
    """Records that are searched on their own."""

    def __init__(
        self,
        records: Sequence[Record],
        *,
        settings: Mapping[str, str] | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        self.records = tuple(records)
        store = EphemeralStore()
        for name in _FOLLOWED & (settings or {}).keys():
            store.configure(name, (settings or {})[name])
        # Where they come from is the place to count them; here it would only move their scores.
        store.configure(USE, "off")
        # They were sealed where they were written; here they are to say what they said there.
        store.configure("secrets.seal", "off")
        owner = Principal(surface=Surface.IMPORT)
        announcer = Announcer(store, owner)
        self._vectors = Vectors(store, embedder)
        self._reads = ReadPath(store, EVERYTHING, (), announcer)
        in_force = effective(store.settings())
        self._recalls = RecallPath(store, self._reads, self._vectors, announcer, lambda: in_force)
        self._layers = sorted({record.layer for record in self.records})
        if self.records:
            path = WritePath(store, Vault.ephemeral(), owner, EVERYTHING)
            path.commit([path.adopt(record) for record in self.records])

    def recall(self, query: str, how: How) -> Recall:
        """Search all of them by words and meaning, as far as there is an embedder."""
        self._vectors.catch_up(lambda share: None)
        asked: How = {"layers": self._layers, **how}
        return self._recalls.recall(query, asked)

    def query(self, where: Where = None, *, limit: int = 100) -> list[Record]:
        """Those that match a filter, newest first."""
        return self._reads.query(Asked(where), order_by=None, limit=limit)

    def close(self) -> None:
        """Let go of what makes vectors."""
        self._vectors.stop()
