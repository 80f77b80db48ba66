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
from lamina.core.access import EVERYTHING
from lamina.core.vectors import Vector
from lamina.errors import (
    EmbedderError,
    InvalidInputError,
    LaminaError,
    StoreError,
    UnsupportedError,
)
from lamina.results import VectorHealth
from lamina.silence import Silence
from lamina.spaces import ACTIVE, WANTED, Spaces

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lamina.backlog import Later
    from lamina.core.access import Reach
    from lamina.embedders.checking import CheckedEmbedder
    from lamina.embedders.protocol import Embedder
    from lamina.stores.base import Store

DUTY: Final = "vectors"
_ANOTHER: Final = "vectors: made by another embedder than this process has"
_UNMEASURED: Final = (
    "vectors: how near this embedder places unrelated texts is not known yet, so words alone count"
)
MANY: Final = 256
"""Records written by one process after which it makes vectors even if it recalls nothing."""
_AT_RECALL: Final = 32
"""Records that a recall sees to before it answers, if they are short."""
_BATCH: Final = 64
_WAITING: Final = "vectors: some records wait for theirs; `lamina reindex` makes them now"
_LONGEST_QUESTION: Final = 4_000
"""Characters of a query that are placed; the rest, as all of it, is looked for by its words."""
_ENDING_SECONDS: Final = 5.0
"""How long a batch in hand is waited for at the end; it can be made again."""
_BRIEFLY_SECONDS: Final = 0.2
_QUIET_SECONDS: Final = 0.1
_PATIENCE_SECONDS: Final = 2.0
"""How long vectors wait for writers, who would have to share the interpreter with them."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query as a point, or why it is none."""

    vector: Vector | None = None
    degraded: str | None = None
    unrelated: float = 0.0
    """The cosine of texts with nothing in common, in the space that the point lies in."""


@dataclass(frozen=True, slots=True)
class Near:
    """How near some texts lie to a question, as far as that could be found out."""

    cosines: Sequence[float | None]
    degraded: str | None = None


class Vectors:
    """The vectors of one store, as one process makes and asks for them."""

    def __init__(self, store: Store, given: Embedder | None = None) -> None:
        self._store = store
        self._spaces = Spaces(store, given)
        self.given = given
        self._lock, self._process = threading.Lock(), os.getpid()
        self._worker: Worker | None = None
        self._written = 0
        self._last_write, self._refused_until = 0.0, 0.0
        self._error: LaminaError | None = None
        self._later: Later = {}
        self._silence = Silence()

    # -- recall

    def question(self, text: str, reach: Reach = EVERYTHING) -> Question:
        """Place a query, after seeing to the newest records; a failure costs no recall.

        Who waits beyond `reach` is not told of.
        """
        try:
            mine = self._spaces.embedder()
            if mine is None:
                return Question()
            embedder = self._spaces.comparing(mine)
            if embedder is not mine:
                self._go_on(mine)
            if embedder is None:
                return Question(degraded=_ANOTHER)
            waits = not self._catch_up(embedder) and self._store.waits(embedder.fingerprint, reach)
            from lamina.embedders.protocol import Role

            with self._silence.broken_by(embedder):
                [row] = embedder.embed([text[:_LONGEST_QUESTION]], Role.QUERY)
            unrelated = self._unrelated(embedder)
        except (EmbedderError, UnsupportedError, StoreError) as error:
            return Question(degraded=self._without(error))
        if unrelated is None:
            # Nobody knows what a cosine means here, and anything would look likely.
            self._nudge()
            return Question(degraded=_WAITING if waits else _UNMEASURED)
        placed = Vector(embedder.fingerprint, row.astype("<f4").tobytes())
        return Question(placed, _WAITING if waits else None, unrelated)

    def near(self, texts: Sequence[str], asked: Vector) -> Near:
        """How near texts that are not in the store lie to a question; a failure costs no recall."""
        from lamina.embedders.separating import embed_now

        unknown = [None] * len(texts)
        try:
            mine = self._spaces.embedder()
            embedder = self._spaces.comparing(mine) if mine else None
            if embedder is None or embedder.fingerprint != asked.space or not texts:
                return Near(unknown)
            with self._silence.broken_by(embedder):
                made = embed_now(embedder, texts)
        except (EmbedderError, UnsupportedError, StoreError) as error:
            return Near(unknown, self._without(error))
        import numpy as np

        point = np.frombuffer(asked.values, "<f4")
        return Near([float(made[n] @ point) if n in made else None for n in range(len(texts))])

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
        return ("vectors",) if self._spaces.is_on() else ()

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
        embedder = self._spaces.embedder()
        if embedder is None:
            return 0
        self._spaces.settle(embedder)
        total, made = self._store.progress(embedder.fingerprint).pending, 0
        if self._spaces.unrelated(embedder) is None or (total and not polite):
            self._spaces.measure(embedder)
        if not polite:
            # Somebody waits for it, and may have seen to what was wrong.
            self._later.clear()
            self._silence.forget()
        backlog = Backlog(self._store, embedder, self._later)
        while not stop() and self._spaces.is_wanted(embedder):
            if polite:
                self._let_writers_go_first(stop)
            due = in_one_go(backlog.due(backlog.waiting(_BATCH))[:_BATCH])
            if not due:
                if backlog.is_done(for_now=not polite):
                    self._spaces.take_over(embedder)
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
        embedder = self._spaces.embedder()
        if embedder is not None:
            self._spaces.settle(embedder)
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
        embedder = self._spaces.embedder()
        if embedder is not None:
            self._spaces.want(embedder)
            self._spaces.settle(embedder)
            self._go_on(embedder)

    def refit(self) -> None:
        """Begin anew where the embedder, by its old name, makes vectors of other dimensions."""
        try:
            if (embedder := self._spaces.embedder()) is not None:
                self._spaces.refit(embedder)
        except EmbedderError as error:
            # Down, or wrong: who makes vectors next has more to say.
            self._error = error

    # -- for people

    def tried(self) -> VectorHealth:
        """The health of the vectors, after a service was asked for a sign of life."""
        from lamina.embedders.protocol import Role
        from lamina.embedders.separating import HARMLESS

        try:
            embedder = self._spaces.embedder()
            if embedder is not None and not embedder.is_local:
                with self._silence.broken_by(embedder):
                    embedder.embed([HARMLESS], Role.QUERY)
        except LaminaError as error:
            self._error = error
        return self.health()

    def health(self) -> VectorHealth:
        """Which embedder there is, how far its vectors have come, and what was last wrong."""
        chosen = self._store.settings()
        active, wanted = chosen.get(ACTIVE), chosen.get(WANTED)
        try:
            embedder = self._spaces.embedder()
        except LaminaError as error:
            self._error, embedder = error, None
        space = embedder.fingerprint if embedder else wanted or active
        progress = self._store.progress(space or "")
        fits = embedder is None or self._spaces.fits(embedder)
        return VectorHealth(
            embedder=self._spaces.name(chosen),
            space=active,
            next_space=wanted if wanted != active else None,
            usable=embedder is not None and embedder.fingerprint == active and fits,
            made=progress.made,
            pending=progress.pending if space else 0,
            refused=progress.refused,
            set_aside=min(progress.pending, sum(key[0] == space for key in list(self._later))),
            error=self._error.message if self._error else None,
        )

    def stop(self) -> None:
        """Let the worker finish its batch and end; a service is not waited for to the last."""
        with self._lock:
            worker, self._worker = self._worker, None
        if worker is not None:
            worker.end(_BRIEFLY_SECONDS if self._silence else _ENDING_SECONDS)

    # -- inside

    def _without(self, error: LaminaError) -> str:
        """What recall says that goes on without vectors."""
        self._error = error
        if self._silence:
            self._nudge()
        return f"vectors: {error.message}"

    def _listen(self) -> None:
        """Ask those that were silent whether they are there again."""
        mine = self._spaces.embedder()
        for embedder in (mine, self._spaces.comparing(mine) if mine else None):
            if embedder is not None:
                self._silence.listen(embedder)

    def _unrelated(self, embedder: CheckedEmbedder) -> float | None:
        """What is known of unrelated texts; who is in this process is asked at once."""
        known = self._spaces.unrelated(embedder)
        if known is None and embedder.is_local:
            # Nor does whoever recalls wait for writers.
            return self._spaces.measure(embedder, wait=False)
        return known

    def _let_writers_go_first(self, stop: Callable[[], bool]) -> None:
        """Wait for a pause in the writing of this process, but not for ever."""
        patience = stopwatch() + _PATIENCE_SECONDS
        while not stop() and stopwatch() - self._last_write < _QUIET_SECONDS:
            if stopwatch() > patience:
                return
            time.sleep(_QUIET_SECONDS / 2)

    def _go_on(self, embedder: CheckedEmbedder) -> None:
        """Have the vectors made that are to take over."""
        if self._spaces.is_to_take_over(embedder):
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
            self._spaces.settle(embedder, wait=False)
        except (StoreError, InvalidInputError) as error:
            # Busy, full, or not ours to write: recall does not depend on it, nor wait each time.
            self._error, self._refused_until = error, stopwatch() + _PATIENCE_SECONDS
            return False
        return made == len(waiting)

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
        # Each write wakes it, and there is no use in looking behind each.
        self._let_writers_go_first(stop)
        try:
            with self._store.duty(DUTY) as is_ours:
                if is_ours:
                    try:
                        self.make(stop=stop, polite=True)
                    finally:
                        # Words need no embedder.
                        self._store.fold(stop)
            self._listen()
        except LaminaError as error:
            # The store may be closed, or the embedder be wrong: recall and health tell of it.
            self._error = error
            return False
        return True
