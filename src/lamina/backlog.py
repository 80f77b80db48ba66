"""Records that wait for their vectors: seen to a batch at a time, and none held up by another.

A text that the embedder cannot take now may be taken later. It is set aside for a while, so that
those behind it have their turn. That many are set aside at once means that it is not the texts.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from lamina.clock import stopwatch
from lamina.core.indexing import embedded_text
from lamina.core.vectors import Embedded
from lamina.errors import EmbedderError, InvalidInputError
from lamina.stores.questions import MISFIT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.embedders.checking import CheckedEmbedder
    from lamina.stores.base import Store

    Key = tuple[str, RecordId, int]
    """A version of a record, in a space."""
    Later = dict[Key, "Setback"]
    """Versions that were set aside, to be tried again."""

_ASIDE_SECONDS: Final = 60.0
_FORGOTTEN_SECONDS: Final = 3600.0
"""After which nobody knows any more how often a version was set aside."""
_TRIES: Final = 3
"""How often a text is set aside before it keeps a space from being whole no longer."""
_FEW: Final = 10
"""Of so many texts one may be left; where more are, it is not the texts."""
MANY_ASIDE: Final = 512
"""They are read over and over, to get at those behind them."""
_STANDSTILL_SECONDS: Final = 30.0
"""How long to believe that somebody is at work of whom nothing is to be seen."""
_LOOKING: Final = 0.2
"""The share of the time that goes into looking how far another has come."""
_PAUSE_SECONDS: Final = 0.05
_AT_ONCE: Final = 16_000
"""Characters that are made in one go: a quarter of a second on one core."""


def in_one_go(records: Sequence[Record]) -> Sequence[Record]:
    """The first of them, as many as take no longer than somebody may have to wait for."""
    sizes = accumulate(len(record.text) for record in records)
    return records[: max(1, sum(size <= _AT_ONCE for size in sizes))]


@dataclass(frozen=True, slots=True)
class Setback:
    """That a text was not taken: when it is tried again, and how often it was tried."""

    until: float
    times: int


class Backlog:
    """What waits for the vectors of one embedder, as one run sees it.

    Whatever is set aside stays so until the run is over, however long that takes.
    """

    def __init__(self, store: Store, embedder: CheckedEmbedder, later: Later) -> None:
        self._store = store
        self._embedder = embedder
        self._space = embedder.fingerprint
        self._later = later
        now = stopwatch()
        for key, setback in list(later.items()):
            if setback.until + _FORGOTTEN_SECONDS <= now:
                later.pop(key, None)
        self._aside = {
            key
            for key, setback in list(later.items())
            if key[0] == self._space and setback.until > now
        }
        self.error: EmbedderError | None = None
        """Why a text was not taken, the last time that one was not."""

    def waiting(self, number: int) -> list[Record]:
        """The next so many that wait, and what was set aside among them."""
        return self._store.unembedded(self._space, number + len(self._aside))

    def due(self, waiting: Sequence[Record]) -> list[Record]:
        """Those that are to be tried now."""
        return [record for record in waiting if self._key(record) not in self._aside]

    def is_done(self, *, for_now: bool) -> bool:
        """Whether nothing waits, or but a few texts that were tried and not taken.

        For now it is enough that they were tried in this run; else they must have been set aside
        several times.
        """
        left = self.waiting(1)
        if not left:
            return True
        enough = 1 if for_now else _TRIES
        if self.due(left) or any(self._tries(one) < enough for one in left):
            return False
        return len(left) <= max(1, self._store.progress(self._space).made // _FEW)

    def keep(self, records: Sequence[Record], *, wait: bool = True) -> int:
        """Make the vectors of these records; of how many is settled what becomes of them.

        Raises:
            EmbedderError: The embedder takes none at all, too many were set aside, or its vectors
                have other dimensions than those in the store.
        """
        from lamina.embedders.protocol import Role
        from lamina.embedders.separating import embed_each

        texts = [embedded_text(record) for record in records]
        found = embed_each(self._embedder, texts, Role.DOCUMENT)
        made = [
            Embedded(record.id, record.rev, row.astype("<f4").tobytes())
            for n, record in enumerate(records)
            if (row := found.vectors.get(n)) is not None
        ]
        made += [
            Embedded(records[n].id, records[n].rev, None)
            for n, error in found.refused.items()
            if not error.retryable
        ]
        try:
            self._store.embed(self._space, made, wait=wait)
        except InvalidInputError:
            raise EmbedderError(MISFIT.removeprefix("vectors: ")) from None
        for one in made:
            self._later.pop((self._space, one.id, one.rev), None)
        for n, error in found.refused.items():
            self.error = error
            if error.retryable:
                self._set_aside(records[n], error)
        return len(made)

    def _set_aside(self, record: Record, error: EmbedderError) -> None:
        key = self._key(record)
        self._aside.add(key)
        before = self._later.get(key)
        times = 1 if before is None else before.times + 1
        self._later[key] = Setback(stopwatch() + _ASIDE_SECONDS, times)
        if len(self._aside) > MANY_ASIDE:
            raise error

    def _tries(self, record: Record) -> int:
        setback = self._later.get(self._key(record))
        return 0 if setback is None else setback.times

    def _key(self, record: Record) -> Key:
        return self._space, record.id, record.rev


class Watched:
    """The vectors of a space, while another process makes them.

    Whoever has the duty may have been stopped, or be waiting for a service that never answers; it
    is waited for only as long as it gets on.
    """

    def __init__(self, store: Store, space: str, tell: Callable[[float], None]) -> None:
        self._store = store
        self._space = space
        self._tell = tell
        self._total = store.progress(space).pending
        self._share, self._made, self._moved_at = 0.0, -1, stopwatch()

    def is_over(self) -> bool:
        """Whether there is nothing left to wait for, or nobody who gets on with it."""
        began = stopwatch()
        now = self._store.progress(self._space)
        if now.made + now.refused != self._made:
            self._made, self._moved_at = now.made + now.refused, stopwatch()
        if not now.pending or stopwatch() - self._moved_at > _STANDSTILL_SECONDS:
            return True
        # More may have been written since.
        self._share = max(self._share, 1 - now.pending / max(self._total, now.pending))
        self._tell(self._share)
        time.sleep(max(_PAUSE_SECONDS, (stopwatch() - began) / _LOOKING))
        return False

    def tell_rest(self, share: float) -> None:
        """Tell how far it is in all, by how much is done of what the other has left."""
        self._tell(self._share + (1 - self._share) * share)
