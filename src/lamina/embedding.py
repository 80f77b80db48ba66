"""The vectors of a store: made behind the writers, asked for by recall, changed as a whole.

A write makes no vector, so no embedder can slow it or lose it. Recall sees to a few that wait; for
the rest a thread of this process goes on in the background, one process at a time. A store says
whose vectors it holds. Another embedder takes over only when somebody has asked for it, and only
once all its vectors are made.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from lamina import config
from lamina.background import Worker
from lamina.clock import stopwatch
from lamina.core.embedder_spec import OFF
from lamina.core.indexing import embedded_text
from lamina.core.settings import EMBEDDER, effective
from lamina.core.vectors import Embedded, Vector
from lamina.errors import (
    EmbedderError,
    InvalidInputError,
    LaminaError,
    StoreError,
    UnsupportedError,
)
from lamina.results import VectorHealth

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lamina.core.record import Record
    from lamina.embedders.checking import CheckedEmbedder
    from lamina.embedders.protocol import Embedder
    from lamina.stores.base import Store

ACTIVE: Final = "vectors.active"
"""The space that recall compares in."""
WANTED: Final = "vectors.wanted"
"""The space that is to be the active one; the same unless the embedder is being changed."""
SPEC: Final = "vectors.spec"
"""The name of the embedder that made the active space, for questions until another takes over."""
DUTY: Final = "vectors"
_ANOTHER: Final = "vectors: made by another embedder than this process has"
MANY: Final = 256
"""Records written by one process after which it makes vectors even if it recalls nothing."""
_AT_RECALL: Final = 32
"""Records that a recall sees to before it answers, if they are short."""
_BATCH: Final = 64
_AT_ONCE: Final = 16_000
"""Characters to a batch, and of all that a recall sees to: a quarter of a second on one core."""
_WAITING: Final = "vectors: some records wait for theirs; `lamina reindex` makes them now"
_LONGEST_QUESTION: Final = 4_000
"""Characters of a query that are placed; the rest, as all of it, is looked for by its words."""
_BELIEVED_SECONDS: Final = 1.0
_QUIET_SECONDS: Final = 0.1
_PATIENCE_SECONDS: Final = 2.0
"""How long vectors wait for writers, who would have to share the interpreter with them."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query as a point, or why it is none."""

    vector: Vector | None = None
    degraded: str | None = None


class Vectors:
    """The vectors of one store, as one process makes and asks for them."""

    def __init__(self, store: Store, given: Embedder | None = None) -> None:
        self._store = store
        self._given = given
        self._lock, self._process = threading.Lock(), os.getpid()
        self._worker: Worker | None = None
        self._written = 0
        self._last_write, self._refused_until = 0.0, 0.0
        self._on, self._asked_at = True, -_BELIEVED_SECONDS
        self._mine: tuple[str, CheckedEmbedder | None] | None = None
        self._error: LaminaError | None = None
        self._unrelated: dict[str, float] = {}

    # -- recall

    def question(self, text: str) -> Question:
        """Place a query, after seeing to the newest records; a failure costs no recall."""
        try:
            embedder = self._embedder()
            if embedder is None:
                return Question()
            chosen = self._store.settings()
            if chosen.get(ACTIVE, embedder.fingerprint) != embedder.fingerprint:
                self._go_on(embedder)
                embedder = self._before(chosen)
                if embedder is None:
                    return Question(degraded=_ANOTHER)
            waits = not self._catch_up(embedder)
            from lamina.embedders.protocol import Role

            [row] = embedder.embed([text[:_LONGEST_QUESTION]], Role.QUERY)
        except (EmbedderError, UnsupportedError, StoreError) as error:
            self._error = error
            return Question(degraded=f"vectors: {error.message}")
        placed = Vector(embedder.fingerprint, row.astype("<f4").tobytes())
        return Question(placed, _WAITING if waits else None)

    def near(self, texts: list[str], asked: Vector) -> list[float | None]:
        """How near texts that are not in the store lie to a question that was placed."""
        from lamina.embedders.protocol import Role
        from lamina.embedders.separating import embed_each

        embedder = self._embedder()
        if embedder is None or embedder.fingerprint != asked.space or not texts:
            return [None] * len(texts)
        import numpy as np

        point = np.frombuffer(asked.values, "<f4")
        made = embed_each(embedder, texts, Role.DOCUMENT).vectors
        return [float(made[n] @ point) if n in made else None for n in range(len(texts))]

    def unrelated(self) -> float:
        """The cosine that the embedder in force gives texts which have nothing in common."""
        embedder = self._embedder()
        if embedder is None or embedder.is_local:
            return 0.0
        if embedder.fingerprint not in self._unrelated:
            from lamina.embedders.spreading import nearness_of_the_unrelated

            self._unrelated[embedder.fingerprint] = nearness_of_the_unrelated(embedder)
        return self._unrelated[embedder.fingerprint]

    # -- making

    def owed(self, texts: int) -> tuple[str, ...]:
        """Take note of texts that were written, and say what has to follow.

        The worker goes on with them. A process that writes much gets one; another leaves them to
        whoever recalls next.
        """
        self._written += texts
        self._last_write = stopwatch()
        if self._worker is not None or self._written >= MANY:
            self._nudge()
        return ("vectors",) if self._is_on() else ()

    def tend(self) -> None:
        """After a recall: have the indexes seen to, if searching becomes faster by it."""
        # The answer is there already; whatever is wrong now, the next recall will say.
        with contextlib.suppress(StoreError):
            if self._store.fold_is_due():
                self._nudge()

    def make(
        self,
        tell: Callable[[float], None] = lambda share: None,
        *,
        limit: int | None = None,
        stop: Callable[[], bool] = lambda: False,
        polite: bool = False,
    ) -> int:
        """Make what is pending, and let the wanted space take over once it is whole.

        Raises:
            EmbedderError: The embedder is down, or answers wrongly; what was made is kept.
        """
        embedder = self._embedder()
        if embedder is None:
            return 0
        self._settle(embedder)
        total, made = self._store.progress(embedder.fingerprint).pending, 0
        while not stop() and (limit is None or made < limit):
            if polite:
                self._let_writers_go_first(stop)
            step = self._step(embedder, _BATCH if limit is None else min(_BATCH, limit - made))
            made += step
            tell(made / total if made < total else 1.0)
            if not step:
                self._take_over(embedder)
                break
        return made

    def catch_up(self, tell: Callable[[float], None] = lambda share: None) -> str | None:
        """Make all that is pending, here and now; what kept it from being made, if anything did."""
        # Or the worker would make the same vectors at the same time.
        self.stop()
        try:
            self.make(tell)
        except (EmbedderError, UnsupportedError, StoreError) as error:
            self._error = error
            return f"vectors: {error.message}"
        return None

    def check(self, spec: str) -> None:
        """Refuse an embedder that this process could not open."""
        from lamina.embedders.registry import open_embedder

        open_embedder(spec, config.load_services())

    def change(self) -> None:
        """Ask for the embedder of this process to take over from the one before."""
        embedder = self._embedder()
        if embedder is not None:
            self._store.configure(WANTED, embedder.fingerprint)
            self._settle(embedder)
            self._go_on(embedder)

    # -- for people

    def health(self) -> VectorHealth:
        """Which embedder there is, how far its vectors have come, and what was last wrong."""
        chosen = self._store.settings()
        spec = self._given.fingerprint if self._given else effective(chosen)[EMBEDDER]
        active, wanted = chosen.get(ACTIVE), chosen.get(WANTED)
        try:
            embedder = self._embedder()
        except LaminaError as error:
            self._error, embedder = error, None
        space = embedder.fingerprint if embedder else wanted or active
        progress = self._store.progress(space or "")
        return VectorHealth(
            embedder=spec,
            space=active,
            next_space=wanted if wanted != active else None,
            usable=embedder is not None and embedder.fingerprint == active,
            made=progress.made,
            pending=progress.pending if space else 0,
            refused=progress.refused,
            error=self._error.message if self._error else None,
        )

    def stop(self) -> None:
        """Let the worker finish its batch and end."""
        with self._lock:
            worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()

    # -- inside

    def _embedder(self) -> CheckedEmbedder | None:
        """The embedder in force, which the store chooses unless this process was given one."""
        from lamina.embedders.checking import checked

        if self._given is not None:
            return checked(self._given)
        spec = effective(self._store.settings())[EMBEDDER]
        if self._mine is None or self._mine[0] != spec:
            from lamina.embedders.registry import open_embedder

            self._mine = (spec, open_embedder(spec, config.load_services()))
        return self._mine[1]

    def _is_on(self) -> bool:
        """Whether vectors are made at all; asked about once a second, for it costs a read."""
        if self._given is not None:
            return True
        now = stopwatch()
        if now - self._asked_at > _BELIEVED_SECONDS:
            self._asked_at = now
            self._on = effective(self._store.settings())[EMBEDDER] != OFF
        return self._on

    def _let_writers_go_first(self, stop: Callable[[], bool]) -> None:
        """Wait for a pause in the writing of this process, but not for ever."""
        patience = stopwatch() + _PATIENCE_SECONDS
        while not stop() and stopwatch() - self._last_write < _QUIET_SECONDS:
            if stopwatch() > patience:
                return
            time.sleep(_QUIET_SECONDS / 2)

    def _settle(self, embedder: CheckedEmbedder) -> str:
        """The active space; the first embedder that comes to a store gives it its own."""
        chosen = self._store.settings()
        if ACTIVE not in chosen:
            self._store.configure(WANTED, embedder.fingerprint)
            self._activate(embedder)
            return embedder.fingerprint
        return chosen[ACTIVE]

    def _activate(self, embedder: CheckedEmbedder) -> None:
        if self._given is None:
            self._store.configure(SPEC, effective(self._store.settings())[EMBEDDER])
        self._store.configure(ACTIVE, embedder.fingerprint)

    def _before(self, chosen: Mapping[str, str]) -> CheckedEmbedder | None:
        """The embedder whose vectors the store still compares, where this process can open it."""
        from lamina.embedders.registry import open_embedder

        if self._given is not None or SPEC not in chosen:
            return None
        found = open_embedder(chosen[SPEC], config.load_services())
        return found if found is not None and found.fingerprint == chosen[ACTIVE] else None

    def _go_on(self, embedder: CheckedEmbedder) -> None:
        """Have the vectors made that are to take over."""
        chosen = self._store.settings()
        if chosen.get(WANTED) == embedder.fingerprint != chosen[ACTIVE]:
            self._nudge()

    def _catch_up(self, embedder: CheckedEmbedder) -> bool:
        """See to what waits, if it is little; whether nothing waits any more."""
        waiting = self._store.unembedded(embedder.fingerprint, _AT_RECALL + 1)
        if not waiting:
            return True
        is_much = len(waiting) > _AT_RECALL or len(_first_of(waiting)) < len(waiting)
        if is_much or not embedder.is_local:
            self._nudge()
            return False
        if stopwatch() < self._refused_until:
            return False
        try:
            self._keep(embedder, waiting, wait=False)
            self._settle(embedder)
        except (StoreError, InvalidInputError) as error:
            # Busy, full, or not ours to write: recall does not depend on it, nor wait each time.
            self._error, self._refused_until = error, stopwatch() + _PATIENCE_SECONDS
            return False
        return True

    def _step(self, embedder: CheckedEmbedder, size: int) -> int:
        """Make one batch; 0 when there is nothing left to do."""
        chosen = self._store.settings()
        if embedder.fingerprint not in (chosen.get(ACTIVE), chosen.get(WANTED)):
            # Nobody asked this process to make vectors of its own kind.
            return 0
        waiting = _first_of(self._store.unembedded(embedder.fingerprint, size))
        return self._keep(embedder, waiting) if waiting else 0

    def _keep(
        self, embedder: CheckedEmbedder, waiting: Sequence[Record], *, wait: bool = True
    ) -> int:
        from lamina.embedders.protocol import Role
        from lamina.embedders.separating import embed_each

        texts = [embedded_text(record) for record in waiting]
        found = embed_each(embedder, texts, Role.DOCUMENT)
        made = [
            Embedded(record.id, record.rev, row.astype("<f4").tobytes())
            for n, record in enumerate(waiting)
            if (row := found.vectors.get(n)) is not None
        ]
        made += [
            Embedded(waiting[n].id, waiting[n].rev, None)
            for n, error in found.refused.items()
            if not error.retryable
        ]
        self._store.embed(embedder.fingerprint, made, wait=wait)
        self._error = next(iter(found.refused.values()), None)
        return len(made)

    def _take_over(self, embedder: CheckedEmbedder) -> None:
        """Switch to the wanted space, which is whole, in one step; then drop the others."""
        chosen, mine = self._store.settings(), embedder.fingerprint
        if chosen.get(WANTED) != mine or self._store.unembedded(mine, 1):
            # Nobody asked for it, or some texts were refused that may be taken later.
            return
        if chosen.get(ACTIVE) != mine:
            self._activate(embedder)
        for space in self._store.spaces():
            if space != mine:
                self._store.leave_space(space)

    def _nudge(self) -> None:
        if self._process != os.getpid():
            # In a forked child: whoever held the lock is not here to let it go.
            self._lock, self._process = threading.Lock(), os.getpid()
        with self._lock:
            if self._worker is None or not self._worker.is_here():
                self._worker = Worker(self.work)
        self._worker.wake()

    def work(self, stop: Callable[[], bool]) -> bool:
        """What the worker does: make all there is; false when the embedder has to be left alone."""
        try:
            with self._store.duty(DUTY) as is_ours:
                if is_ours:
                    try:
                        self.make(stop=stop, polite=True)
                    finally:
                        # Words need no embedder.
                        self._store.fold(stop)
        except LaminaError as error:
            # The store may be closed, or the embedder be wrong: recall and health tell of it.
            self._error = error
            return False
        return True


def _first_of(waiting: Sequence[Record]) -> Sequence[Record]:
    """As many as may be made in one go; whoever wants to stop waits no longer than for these."""
    sizes = accumulate(len(record.text) for record in waiting)
    return waiting[: max(1, sum(size <= _AT_ONCE for size in sizes))]
