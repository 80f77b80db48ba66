"""The `index` of a LangGraph store: which fields are searched, and by whose vectors.

Without an `embed` of its own, a store is searched by Lamina's recall. With one, its vectors are
kept beside each value and a search compares all of them: the answer is the embedder's alone, as its
user expects, and the price is that every item below the prefix is read.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from langgraph.store.base import PutOp, SearchOp, ensure_embeddings, get_text_at_path

from lamina.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from langchain_core.embeddings import Embeddings
    from langgraph.store.base import IndexConfig, Op

_STEPS: Final = 999
"""Vectors are kept as whole numbers of so many steps: short in JSON, and as good for a cosine."""


class Embedded:
    """The vectors that a batch needs, by text."""

    def __init__(
        self, documents: Mapping[str, Sequence[float]], queries: Mapping[str, Sequence[float]]
    ) -> None:
        self.documents = documents
        self.queries = queries


class Index:
    """What a store was told about searching."""

    def __init__(self, config: IndexConfig | None) -> None:
        self.config: IndexConfig | None = None if config is None else config.copy()
        given = (self.config or {}).get("embed")
        self.embeddings: Embeddings | None = None if given is None else ensure_embeddings(given)
        self._fields = (self.config or {}).get("fields") or ["$"]

    def fields(self, op: PutOp) -> Sequence[str]:
        """The fields of an item that are searched."""
        return self._fields if op.index is None else op.index or ()

    def texts(self, op: PutOp) -> list[str]:
        """The texts of an item that get a vector each."""
        if self.embeddings is None or op.value is None or op.index is False:
            return []
        value = dict(op.value)
        return [text for field in self.fields(op) for text in get_text_at_path(value, field)]

    def embedded(self, ops: Iterable[Op]) -> Embedded:
        """The vectors that a batch needs."""
        texts, queries = self._asked(ops)
        if self.embeddings is None or not (texts or queries):
            return Embedded({}, {})
        documents = self.embeddings.embed_documents(texts) if texts else []
        return self._checked(
            texts, documents, queries, [self.embeddings.embed_query(query) for query in queries]
        )

    async def aembedded(self, ops: Iterable[Op]) -> Embedded:
        """The same, by an embedder that is awaited."""
        texts, queries = self._asked(ops)
        if self.embeddings is None or not (texts or queries):
            return Embedded({}, {})
        documents = await self.embeddings.aembed_documents(texts) if texts else []
        return self._checked(
            texts, documents, queries, [await self.embeddings.aembed_query(q) for q in queries]
        )

    def _asked(self, ops: Iterable[Op]) -> tuple[list[str], list[str]]:
        asked = list(ops)
        texts = [text for op in asked if isinstance(op, PutOp) for text in self.texts(op)]
        queries = [op.query for op in asked if isinstance(op, SearchOp) and op.query]
        return list(dict.fromkeys(texts)), list(dict.fromkeys(queries))

    def _checked(
        self,
        texts: list[str],
        documents: Sequence[Sequence[float]],
        queries: list[str],
        asked: Sequence[Sequence[float]],
    ) -> Embedded:
        dims = (self.config or {}).get("dims")
        for vector in (*documents, *asked):
            if dims is not None and len(vector) != dims:
                raise InvalidInputError(
                    f"`index` says {dims} dims, and its embedder made {len(vector)}"
                )
        return Embedded(
            dict(zip(texts, documents, strict=True)), dict(zip(queries, asked, strict=True))
        )


def packed(vector: Sequence[float]) -> list[int]:
    """A vector as it is kept: its direction counts, not its length."""
    largest = max(map(abs, vector), default=0.0)
    if not math.isfinite(largest):
        raise InvalidInputError("the embedder of `index` made a vector that is not finite")
    return [round(number / largest * _STEPS) if largest else 0 for number in vector]


def nearest(query: Sequence[float], vectors: Any) -> float | None:
    """The cosine of the nearest of a record's vectors; `None` if it has none that fits."""
    import numpy as np

    fitting = [one for one in vectors or () if isinstance(one, list) and len(one) == len(query)]
    if not fitting:
        return None
    kept, asked = np.array(fitting, dtype=np.float64), np.array(query, dtype=np.float64)
    lengths = np.linalg.norm(kept, axis=1) * np.linalg.norm(asked)
    cosines = (kept @ asked) / np.where(lengths == 0, 1.0, lengths)
    return float(cosines.max())
