"""One of several processes that share a store whose indexes change all the time.

`python -m tests.faults.children.sharer FOLDER SEED NUMBER ROLE SECONDS` says at the end how much
it did, and whatever was not as it should be.
"""

import contextlib
import random
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep

from lamina import clock
from lamina.clock import fresh_id
from lamina.core.access import EVERYTHING
from lamina.core.changes import Change, Erase, Move
from lamina.core.ids import RecordId
from lamina.core.record import State
from lamina.core.text import query_terms
from lamina.core.vectors import Embedded, Vector
from lamina.embedders.protocol import Role
from lamina.errors import ConflictError, NotFoundError
from lamina.stores.questions import Search
from lamina.stores.sqlite.store import SqliteStore
from lamina.testing.builders import a_commit, a_put, ask
from lamina.testing.embedders import FakeEmbedder
from tests.faults.children.work import DIMENSIONS, say
from tests.stores import segmented

WORDS = "heron kettle anchor violet ledger harbour lantern orchard compass thimble".split()
BATCH = 20
LEAVES = 0.03
"""How often all vectors are dropped, after which they are made again."""
EMBEDDER = FakeEmbedder(DIMENSIONS)
SPACE = EMBEDDER.fingerprint
THREADS = {"write": 1, "embed": 1, "fold": 1, "search": 3}
PAUSE = 0.002
PLACES = ("project/web", "project/app", "user/ann")


class Sharer:
    """A store, and one's own chance."""

    def __init__(self, folder: Path, seed: int, number: int) -> None:
        self.store = SqliteStore(folder)
        self.chance = random.Random(f"{seed} {number}")
        self.wrong: list[str] = []

    def write(self) -> None:
        """Something new, something changed, something hidden, something gone."""
        text = " ".join(self.chance.choices(WORDS, k=self.chance.randrange(2, 9)))
        scope = self.chance.choice(PLACES)
        match self.chance.randrange(10):
            case 0:
                self._change(lambda one: Erase(id=one))
            case 1:
                self._change(lambda one: Move(id=one, state=State.FORGOTTEN))
            case 2 | 3:
                key = self.chance.choice(("a", "b", "c"))
                self._commit(a_put(text, key=key, scope=scope, id=fresh_id()))
            case _:
                self._commit(a_put(text, scope=scope, id=fresh_id()))

    def embed(self) -> None:
        """Vectors of what waits for them."""
        waiting = self.store.unembedded(SPACE, BATCH)
        if waiting:
            rows = EMBEDDER.embed([record.text for record in waiting], Role.DOCUMENT)
            made = [
                Embedded(record.id, record.rev, row.astype("<f4").tobytes())
                for record, row in zip(waiting, rows, strict=True)
            ]
            self.store.embed(SPACE, made)

    def fold(self) -> None:
        """Segments of what is new."""
        self.embed()
        self.store.fold()
        if self.chance.random() < LEAVES:
            self.store.leave_space(SPACE)

    def search(self) -> None:
        """The same answer from segments and from tables."""
        word = self.chance.choice(WORDS)
        [row] = EMBEDDER.embed([word], Role.QUERY)
        asked = Search(
            reach=EVERYTHING, terms=query_terms(word), limit=10_000,
            vector=Vector(SPACE, row.astype("<f4").tobytes()),
        )  # fmt: skip
        self.wrong += segmented.disagreements(self.store, asked)
        self.store.search(asked)

    def _commit(self, change: Change) -> None:
        self.store.commit(a_commit(change, tx=fresh_id(), at=clock.now()))

    def _change(self, change: Callable[[RecordId], Change]) -> None:
        found = ask(self.store, limit=30)
        # Somebody may be faster.
        with contextlib.suppress(NotFoundError, ConflictError):
            if found:
                self._commit(change(self.chance.choice(found).id))


def main() -> None:
    """Work until the time is up."""
    folder, seed, number, role, seconds = sys.argv[1:]
    segmented.everything_is_large()
    sharer = Sharer(Path(folder), int(seed), int(number))
    say({"ready": role})
    deadline = monotonic() + float(seconds)
    with ThreadPoolExecutor(THREADS[role]) as pool:
        threads = [pool.submit(_until, deadline, sharer, role) for _ in range(THREADS[role])]
    done = sum(thread.result() for thread in threads)
    sharer.store.close()
    say({"done": done, "role": role, "wrong": sharer.wrong[:3]})


def _until(deadline: float, sharer: Sharer, role: str) -> int:
    done = 0
    while monotonic() < deadline and not sharer.wrong:
        getattr(sharer, role)()
        done += 1
        # Whoever has nothing to do leaves the processor to others.
        sleep(PAUSE)
    return done


if __name__ == "__main__":
    main()
