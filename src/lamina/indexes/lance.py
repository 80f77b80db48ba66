"""Vectors in tables of LanceDB: another engine behind the same promises.

A segment is a table that is written once and never changed, so that it belongs to one moment of a
stream, and its end is the end of its bytes. An index file beside it says what it is of. Needs the
extra `lancedb`, some 350 MB of packages; nothing of it is imported before a table is used.
"""

import errno
import importlib
import importlib.util
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from lamina.core.access import Grant
from lamina.errors import IndexDamagedError, UnsupportedError
from lamina.indexes import tables
from lamina.indexes.file import Array, Header, refuse_unless, write
from lamina.indexes.places import Place, Places, Sight
from lamina.indexes.tables import TableFile
from lamina.indexes.vectors import VectorBatch, gone_from
from lamina.indexes.views import View, positions

KIND: Final = "lance"
_PACKAGES: Final = ("pyarrow", "lancedb")
_AT_ONCE: Final = 8192
"""How many rows are read at a time to be written elsewhere."""
_MORE: Final = 8
_REFUSED: Final = re.compile(r"\(os error (\d+)\)")
_OURS: Final = (IndexDamagedError, KeyboardInterrupt, SystemExit, GeneratorExit)


class _Process:
    """Where the packages were imported: their threads do not follow into a forked child."""

    number: int | None = None


def trouble() -> str | None:
    """What keeps this process from using the engine; it is not imported to find out."""
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        return f"the engine `lance` needs {missing[-1]}, which is not installed here"
    if _Process.number not in (None, os.getpid()):
        return "the engine `lance` does not work in a forked process"
    return None


def check() -> None:
    """Refuse the engine where it cannot be used.

    Raises:
        UnsupportedError: A package is missing.
    """
    for name in _PACKAGES:
        _needed(name)


@dataclass(frozen=True)
class LanceSegment:
    """Immutable; may be shared between threads."""

    file: TableFile
    rids: Array
    order: Array
    """The positions of rows in the order of their records."""
    places: Places
    gone: Array

    @classmethod
    def open(cls, path: Path) -> "LanceSegment":
        """Map the index file; the table is opened when it is asked.

        Raises:
            IndexDamagedError: The file is not about a table, or the table is not as it says.
        """
        file = TableFile.open(path)
        refuse_unless(file.header.kind == KIND, path, "is not about a table")
        rids, order, gone = file.array_file.named("rids", "order", "gone")
        refuse_unless(rids.shape == order.shape, path, "has rows that do not fit together")
        return cls(file, rids, order, Places.of_file(file.array_file, len(rids)), gone)

    @classmethod
    def build(
        cls, path: Path, header: Header, batches: Iterable[VectorBatch], gone: Iterable[int] = ()
    ) -> "LanceSegment":
        """Write the segment of some vectors.

        `gone` are records that were changed within what the header covers and have no vector.
        """
        # All of it before the first byte is written: who reads the records may give up.
        parts: list[Any] = []
        numbers: dict[Place, int] = {}
        where: list[int] = []
        for batch in batches:
            parts += [_rows_of(batch)] if len(batch.rids) else []
            where += [numbers.setdefault(place, len(numbers)) for place in batch.places]
        rids = np.concatenate([np.zeros(0, "i8"), *(_column(part, "rid") for part in parts)])
        order = np.argsort(rids).astype("u4")
        if len(rids) > 1 and not (np.diff(rids[order]) > 0).all():
            raise ValueError("a record is in a segment once only")
        places = Places.of(list(numbers), np.array(where, "u4"))
        tables.remove(path)
        try:
            if parts:
                _write_table(path, parts)
            listing = tables.kept(path) if parts else {}
            arrays = {"rids": rids, "order": order, "gone": np.array(sorted(gone), "i8")}
            facts = {"layers": list(places.layer_names), "table": listing}
            write(path, header, arrays | places.arrays(), facts)
        except BaseException:
            tables.remove(path)
            raise
        return cls.open(path)

    @classmethod
    def merge(
        cls, path: Path, header: Header, views: Sequence[View["LanceSegment"]]
    ) -> "LanceSegment":
        """Write one segment for several that follow one another, without what is dead in them."""
        kept = [np.flatnonzero(view.alive()) for view in views]
        pairs = [(view.segment, at) for view, at in zip(views, kept, strict=True)]
        rids = np.concatenate([np.zeros(0, "i8"), *(one.rids[at] for one, at in pairs)])
        batches = (batch for one, at in pairs for batch in one.batches(at))
        return cls.build(path, header, batches, gone_from(header, views, rids).tolist())

    @property
    def header(self) -> Header:
        return self.file.header

    def __len__(self) -> int:
        return len(self.rids)

    def changed(self) -> Array:
        return np.union1d(self.rids, self.gone)

    def positions(self, rids: Array) -> Array:
        return positions(self.rids, rids, self.order)

    def nearest(
        self, view: View["LanceSegment"], query: Array, limit: int, sight: Sight
    ) -> tuple[Array, Array]:
        mask = view.mask(sight)
        seen = len(self) if mask is None else int(np.count_nonzero(mask))
        if not seen or limit <= 0:
            return np.zeros(0, "i8"), np.zeros(0, "f4")
        condition = None if self.places.mask(sight) is None else _condition(sight)
        asked = limit + 1 + len(view.dead)
        while True:
            rids, near = self._asked(query, asked, condition)
            if mask is not None:
                # The dead are in the table as well, and what is out of sight never leaves here.
                here = mask[self.positions(rids)]
                rids, near = rids[here], near[here]
            is_cut_between_equals = len(near) <= limit or near[limit - 1] == near[-1]
            if len(near) >= seen or not is_cut_between_equals:
                return rids, near
            if asked >= len(self):
                # It holds less than it should: whatever is wrong, it is built again.
                raise _altered(self.file.path, "finds too little")
            asked = min(asked * _MORE, len(self))

    def taken(self, at: Array) -> Callable[[Array], Array]:
        rows = self._rows(at)
        return lambda query: np.vecdot(rows, query) if len(rows) else np.zeros(0, "f4")

    def batches(self, at: Array) -> Iterator[VectorBatch]:
        """The rows at some positions as they were put in."""
        every = list(self.places)
        for first in range(0, len(at), _AT_ONCE):
            some = at[first : first + _AT_ONCE]
            places = [every[number] for number in self.places.of_document[some].tolist()]
            yield VectorBatch(self.rids[some], places, self._rows(some))

    @cached_property
    def _table(self) -> Any:
        folder = tables.beside(self.file.path)
        with _told(self.file.path):
            return _used("lancedb").connect(folder.parent).open_table(folder.stem)

    def _asked(self, query: Array, limit: int, condition: str | None) -> tuple[Array, Array]:
        """The nearest rows of the table, nearest first."""
        with _told(self.file.path):
            found = self._table.search(np.asarray(query, "f4")).distance_type("dot")
            if condition is not None:
                found = found.where(condition, prefilter=True)
            # No shortcut through lists of near rows: all that fulfil the condition are compared.
            table = found.bypass_vector_index().select(["rid", "_distance"]).limit(limit).to_arrow()
        rids, near = _column(table, "rid"), 1 - _column(table, "_distance")
        if (self.positions(rids) < 0).any():
            raise _altered(self.file.path, "finds what it does not hold")
        order = np.lexsort((-rids, -near))
        return rids[order], near[order].astype("f4")

    def _rows(self, at: Array) -> Array:
        if not len(at):
            return np.zeros((0, 0), "f4")
        with _told(self.file.path):
            asked = self._table.take_offsets(sorted(at.tolist())).select(["rid", "vector"])
            table = asked.to_arrow()
        column = table.column("vector").combine_chunks()
        rows = column.flatten().to_numpy().reshape(len(table), -1)
        found = _column(table, "rid")
        order = np.argsort(found)
        where = positions(found, self.rids[at], order)
        if (where < 0).any():
            raise _altered(self.file.path, "lacks what it should hold")
        return np.asarray(rows[where], "f4")


def _rows_of(batch: VectorBatch) -> Any:
    """Sixteen bits per number, as where the records are: nothing is lost."""
    arrow = _used("pyarrow")
    numbers = arrow.array(batch.vectors.astype("f2").reshape(-1))
    columns = {
        "rid": arrow.array(batch.rids, arrow.int64()),
        "scope": arrow.array([scope for scope, _ in batch.places], arrow.utf8()),
        "layer": arrow.array([layer for _, layer in batch.places], arrow.utf8()),
        "vector": arrow.FixedSizeListArray.from_arrays(numbers, batch.vectors.shape[1]),
    }
    return arrow.table(columns)


def _write_table(path: Path, parts: Sequence[Any]) -> None:
    folder = tables.beside(path)
    with _told(path, writing=True):
        database = _used("lancedb").connect(folder.parent)
        database.create_table(folder.stem, _used("pyarrow").concat_tables(parts))


def _needed(package: str) -> Any:
    try:
        found = importlib.import_module(package)
    except ImportError:
        raise UnsupportedError(
            f"the engine `lance` needs {package}, which is not installed",
            remedy="Run `pip install 'lamina[lancedb]'`, or use the engine `builtin`",
        ) from None
    _Process.number = _Process.number or os.getpid()
    return found


def _used(package: str) -> Any:
    """A package that was there when the engine was chosen.

    Raises:
        OSError: It cannot be imported after all.
    """
    try:
        return _needed(package)
    except UnsupportedError as error:
        raise OSError(errno.ENOSYS, error.message) from error


@contextmanager
def _told(path: Path, *, writing: bool = False) -> Iterator[None]:
    """Tell what a table that fails means: it was replaced, the disk refused it, or it is damaged.

    Raises:
        OSError: The table was removed, or the system says why it cannot be used now.
        IndexDamagedError: It is not as it was written.
    """
    try:
        yield
    except _OURS:
        raise
    except BaseException as error:
        if isinstance(error, OSError) and error.errno:
            raise
        # A panic inside the engine is no Exception.
        refused = _REFUSED.search(str(error))
        if refused is not None:
            raise OSError(int(refused[1]), os.strerror(int(refused[1])), str(path)) from error
        if writing:
            raise OSError(errno.EIO, f"the engine `lance` failed: {error!s:.200}") from error
        if not path.exists():
            raise FileNotFoundError(errno.ENOENT, "it was replaced", str(path)) from error
        raise _altered(path, f"has a table that fails: {error!s:.200}") from error


def _altered(path: Path, fault: str) -> IndexDamagedError:
    return IndexDamagedError(
        f"the index file {path.name} {fault}", remedy="It is built again from the records"
    )


def _column(table: Any, name: str) -> Array:
    return np.asarray(table.column(name).to_numpy())


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
