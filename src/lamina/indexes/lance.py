"""Vectors in LanceDB: another engine behind the same promises, for those who want its files.

Needs the extra `lancedb`, some 350 MB of packages. The default engine is faster up to millions of
rows and needs nothing.
"""

import importlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from lamina.core.access import Grant
from lamina.errors import UnsupportedError
from lamina.indexes.base import Background, Neighbours
from lamina.indexes.file import Array
from lamina.indexes.places import EVERYWHERE, Sight
from lamina.indexes.vectors import VectorBatch

_TABLE: Final = "vectors"
_SAMPLE: Final = 1000
_AT_ONCE: Final = 5000
"""How many records one condition names."""


class LanceVectors:
    """The vectors of one stream as a table in a folder."""

    def __init__(self, folder: Path, width: int) -> None:
        self._arrow = _needed("pyarrow")
        self._width = width
        schema = self._arrow.schema(
            [
                ("rid", self._arrow.int64()),
                ("scope", self._arrow.utf8()),
                ("layer", self._arrow.utf8()),
                ("vector", self._arrow.list_(self._arrow.float32(), width)),
            ]
        )
        database = _needed("lancedb").connect(folder)
        self._table: Any = database.create_table(_TABLE, schema=schema, exist_ok=True)

    def __len__(self) -> int:
        return int(self._table.count_rows())

    def add(self, batch: VectorBatch) -> None:
        if not len(batch.rids):
            return
        numbers = self._arrow.array(batch.vectors.astype("f4").reshape(-1))
        columns = {
            "rid": batch.rids,
            "scope": [scope for scope, _ in batch.places],
            "layer": [layer for _, layer in batch.places],
            "vector": self._arrow.FixedSizeListArray.from_arrays(numbers, self._width),
        }
        put = self._table.merge_insert("rid").when_matched_update_all()
        put.when_not_matched_insert_all().execute(self._arrow.table(columns))

    def drop(self, rids: Iterable[int]) -> None:
        for named in _named(list(rids)):
            self._table.delete(named)

    def search(self, query: Array, limit: int, sight: Sight = EVERYWHERE) -> Neighbours:
        if limit <= 0 or not len(self):
            return Neighbours(np.zeros(0, "i8"), np.zeros(0, "f4"))
        asked = self._table.search(np.asarray(query, "f4")).distance_type("dot")
        found = asked.where(_condition(sight), prefilter=True).select(["rid", "_distance"])
        table = found.limit(limit).to_arrow()
        rids, cosines = _column(table, "rid"), 1 - _column(table, "_distance")
        order = np.lexsort((-rids, -cosines))
        return Neighbours(rids[order], cosines[order].astype("f4"))

    def cosines(self, query: Array, rids: Sequence[int]) -> Array:
        known: dict[int, float] = {}
        for named in _named(list(rids)):
            near, found = self._near(query, named)
            known.update(zip(found.tolist(), near.tolist(), strict=True))
        return np.array([known.get(rid, np.nan) for rid in rids], "f4")

    def background(self, query: Array, sight: Sight = EVERYWHERE) -> Background:
        condition = _condition(sight)
        step = max(1, int(self._table.count_rows(condition)) // _SAMPLE)
        near, _ = self._near(query, f"({condition}) and rid % {step} = 0")
        return Background(float(near.mean()), len(near)) if len(near) else Background()

    def close(self) -> None:
        self._table = None

    def _near(self, query: Array, condition: str) -> tuple[Array, Array]:
        """How near the records are that fulfil a condition, and which they are."""
        found = self._table.search().where(condition).select(["rid", "vector"])
        table = found.limit(max(len(self), 1)).to_arrow()
        flat = table.column("vector").combine_chunks().flatten().to_numpy()
        rows = flat.reshape(-1, self._width)
        return np.vecdot(rows, np.asarray(query, "f4")).astype("f8"), _column(table, "rid")


def _needed(package: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError:
        raise UnsupportedError(
            f"the vector index `lance` needs {package}, which is not installed",
            remedy="Run `pip install 'lamina[lancedb]'`, or use the default index",
        ) from None


def _column(table: Any, name: str) -> Array:
    return np.asarray(table.column(name).to_numpy())


def _named(rids: Sequence[int]) -> Iterable[str]:
    for at in range(0, len(rids), _AT_ONCE):
        yield f"rid in ({', '.join(str(int(rid)) for rid in rids[at : at + _AT_ONCE])})"


def _condition(sight: Sight) -> str:
    groups = [" or ".join(map(_granted, group)) or "false" for group in sight.groups]
    return " and ".join(f"({group})" for group in groups) or "true"


def _granted(grant: Grant) -> str:
    layers = ", ".join(map(_quoted, sorted(grant.layers)))
    in_layers = f"layer in ({layers})" if layers else "false"
    if grant.scope is None:
        return f"({in_layers})"
    # `0` is the character after `/`: a range, because LIKE would read `_` in a name as any letter.
    below = f" or scope > {_quoted(grant.scope + '/')} and scope < {_quoted(grant.scope + '0')}"
    return f"({in_layers} and (scope = {_quoted(grant.scope)}{below if grant.subtree else ''}))"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
