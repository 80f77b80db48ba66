"""What recall is compared with: a full-text table asked for any of the words, and a whole scan.

This is what one would write in an afternoon: FTS5 with its own ranking, and a product with every
vector as it is. No scopes, no filters, no fusion; only the first ten of each are taken.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from lamina import clock
from lamina.bench.texts import SMALL
from lamina.embedders.protocol import Embedder, Role
from lamina.stores.sqlite.driver import Connection, connect

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FIRST: Final = 10
_BATCH: Final = 256
_WORD: Final = re.compile(r"\w+")
_ASKING: Final = frozenset(
    "can you tell me again what it was that we had said about did say".split()
)
_FIND: Final = "select rowid from text where text match ? order by bm25(text) limit ?"
_TABLE: Final = "create virtual table if not exists text using fts5(body)"


@dataclass(frozen=True, slots=True)
class PlainFiles:
    """The table and the vectors of the texts so far."""

    folder: Path

    @property
    def table(self) -> Path:
        """The database with the full-text table."""
        return self.folder / "text.db"

    @property
    def vectors(self) -> Path:
        """All vectors, one after the other, as 32-bit floats."""
        return self.folder / "vectors.f4"

    def add(
        self, pieces: Iterable[Sequence[str]], embedder: Embedder, tell: Callable[[int], None]
    ) -> float:
        """Take in texts behind those that are there; how many seconds the embedder took."""
        self.folder.mkdir(exist_ok=True)
        seconds, done = 0.0, 0
        connection = connect(self.table, create=True)
        with self.vectors.open("ab") as file, connection:
            connection.execute(_TABLE).fetchall()
            for texts in pieces:
                connection.executemany(
                    "insert into text (body) values (?)", ((text,) for text in texts)
                )
                for first in range(0, len(texts), _BATCH):
                    start = clock.stopwatch()
                    made = embedder.embed(texts[first : first + _BATCH], Role.DOCUMENT)
                    seconds += clock.stopwatch() - start
                    file.write(made.astype("<f4").tobytes())
                done += len(texts)
                tell(done)
        connection.close()
        return seconds


class Plain:
    """The table and the vectors, ready to be asked."""

    def __init__(self, files: PlainFiles, embedder: Embedder) -> None:
        self._connection: Connection = connect(files.table, create=False)
        self._embedder = embedder
        flat = np.fromfile(files.vectors, "<f4")
        self._matrix: NDArray[np.float32] = flat.reshape(-1, embedder.dimensions)

    def ask(self, question: str, *, content: bool = False) -> tuple[list[int], list[int]]:
        """The numbers of the best texts by words, and of the nearest."""
        words = dict.fromkeys(_WORD.findall(question.lower()))
        if content:
            words = {word: None for word in words if word not in _UNTOLD} or words
        match = " OR ".join(f'"{word}"' for word in words)
        found = self._connection.execute(_FIND, (match, _FIRST))
        held = [int(row[0]) - 1 for row in found]
        return held, self.nearest(question)

    def nearest(self, question: str) -> list[int]:
        """The numbers of the nearest texts, by a look at every one."""
        [point] = self._embedder.embed([question], Role.QUERY)
        cosines = self._matrix @ point
        if len(cosines) <= _FIRST:
            return [int(at) for at in np.argsort(-cosines)]
        first = np.argpartition(-cosines, _FIRST)[:_FIRST]
        return [int(at) for at in first[np.argsort(-cosines[first])]]

    def close(self) -> None:
        """Release the table."""
        self._connection.close()


_UNTOLD: Final = frozenset(SMALL) | _ASKING
"""Words that somebody who thinks of it would leave out of a question."""
