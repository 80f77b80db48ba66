"""A capsule in hand: read and searched on its own, without a store."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, Unpack

from lamina.capsule.file import LAYER, STATES, Contents, read
from lamina.core.canonical import check_text
from lamina.core.embedder_spec import OFF
from lamina.core.filters import parse
from lamina.core.settings import EMBEDDER

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from lamina.apart import Apart
    from lamina.core.record import Record
    from lamina.embedders.protocol import Embedder
    from lamina.reading import Where
    from lamina.recalling import How
    from lamina.results import Recall

_KEPT: Final = {"state": {"$in": [state.value for state in STATES]}}
"""Notes that were archived with their task are what a capsule is for."""


class Capsule:
    """The notes of one agent on one task. They can be read and searched, and not changed."""

    def __init__(
        self, contents: Contents, embedder: Embedder | None = None, *, words_only: bool = False
    ) -> None:
        self.about = contents.about
        """The file, and where its notes come from."""
        self._records = contents.records
        self._embedder = embedder
        self._settings = {EMBEDDER: OFF} if words_only else {}

    def read(self, *, kind: str | None = None, stage: str | None = None) -> list[Record]:
        """The notes, oldest first: of a kind, or of a stage."""
        for name, value in (("kind", kind), ("stage", stage)):
            if value is not None:
                check_text(value, name)
        return [
            one
            for one in self._records
            if (kind is None or one.kind == kind)
            and (stage is None or one.data.get("stage") == stage)
        ]

    def query(self, where: Where = None, *, limit: int = 100) -> list[Record]:
        """The notes that match a filter, newest first."""
        return self._apart.query(parse(where) & parse(_KEPT), limit=limit)

    def recall(self, query: str, **how: Unpack[How]) -> Recall:
        """Search the notes by words and meaning, best first."""
        here: How = {**how, "layers": [LAYER], "where": parse(how.get("where")) & parse(_KEPT)}
        return self._apart.recall(query, here)

    def close(self) -> None:
        """Let go of what searching needs."""
        if "_apart" in self.__dict__:
            self._apart.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()

    @cached_property
    def _apart(self) -> Apart:
        from lamina.apart import Apart

        return Apart(self._records, settings=self._settings, embedder=self._embedder)


def open(  # noqa: A001 - the name a user would say
    path: str | Path, *, embedder: Embedder | None = None, words_only: bool = False
) -> Capsule:
    """Verify a capsule, and open it for reading and searching.

    Args:
        path: The file.
        embedder: What makes vectors; by default the one that stores use where nobody chose.
        words_only: Search by words alone, which starts faster.

    Raises:
        InvalidInputError: It is no capsule.
        StoreDamagedError: It was cut short, damaged or changed.
    """
    return Capsule(read(path), embedder, words_only=words_only)
