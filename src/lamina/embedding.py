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
from typing import TYPE_CHECKING, Final

from lamina import config
from lamina.background import Worker
from lamina.backlog import Backlog, Watched, in_one_go
from lamina.clock import stopwatch
from lamina.core.embedder_spec import OFF
from lamina.core.settings import EMBEDDER, effective
from lamina.core.vectors import Vector
from lamina.errors import (
    EmbedderError,
    InvalidInputError,
    LaminaError,
    StoreError,
    UnsupportedError,
)
from lamina.results import VectorHealth

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lamina.backlog import Later
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
        self._later: Later = {}

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
        stop: Callable[[], bool] = lambda: False,
        polite: bool = False,
    ) -> int:
        """Make what is pending, and let the wanted space take over once it is whole.

        A text that the embedder cannot take for now is left for another time.

        Raises:
            EmbedderError: The embedder is down, or answers wrongly; what was made is kept.
        """
        embedder = self._embedder()
        if embedder is None:
            return 0
        self._settle(embedder)
        total, made = self._store.progress(embedder.fingerprint).pending, 0
        if not polite:
            # Somebody waits for it, and may have seen to what was wrong.
            self._later.clear()
        backlog = Backlog(self._store, embedder, self._later)
        while not stop() and self._is_wanted(embedder):
            if polite:
                self._let_writers_go_first(stop)
            due = in_one_go(backlog.due(backlog.waiting(_BATCH))[:_BATCH])
            if not due:
                self._take_over(embedder)
                break
            made += backlog.keep(due)
            self._error = backlog.error
            tell(made / total if made < total else 1.0)
        return made

    def catch_up(self, tell: Callable[[float], None]) -> str | None:
        """Make all that is pending, here and now; what kept it from being made, if anything did."""
        # Or it would be waited for, and it is polite to writers.
        self.stop()
        try:
            self.make_all(tell)
        except (EmbedderError, UnsupportedError, StoreError) as error:
            self._error = error
            return f"vectors: {error.message}"
        return None

    def make_all(self, tell: Callable[[float], None]) -> None:
        """Make what is pending, or see another process make it; then what searches faster.

        Raises:
            EmbedderError: The embedder is down, or answers wrongly; what was made is kept.
        """
        embedder = self._embedder()
        if embedder is not None:
            self._settle(embedder)
            watched = Watched(self._store, embedder.fingerprint, tell)
            while True:
                with self._store.duty(DUTY) as is_ours:
                    if is_ours or watched.is_over():
                        self.make(watched.tell_rest)
                        break
        self._store.fold()

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
        backlog = Backlog(self._store, embedder, self._later)
        waiting = backlog.waiting(_AT_RECALL + 1)
        due = backlog.due(waiting)
        if not due:
            return not waiting
        is_much = len(due) > _AT_RECALL or len(in_one_go(due)) < len(due)
        if is_much or not embedder.is_local:
            self._nudge()
            return False
        if stopwatch() < self._refused_until:
            return False
        try:
            made = backlog.keep(due, wait=False)
            self._error = backlog.error
            self._settle(embedder)
        except (StoreError, InvalidInputError) as error:
            # Busy, full, or not ours to write: recall does not depend on it, nor wait each time.
            self._error, self._refused_until = error, stopwatch() + _PATIENCE_SECONDS
            return False
        return made == len(waiting)

    def _is_wanted(self, embedder: CheckedEmbedder) -> bool:
        """Whether this process was asked to make vectors of its own kind."""
        chosen = self._store.settings()
        return embedder.fingerprint in (chosen.get(ACTIVE), chosen.get(WANTED))

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
