"""A vector segment: rows of eight-bit numbers, mapped from a file."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from lamina.indexes import looking
from lamina.indexes.file import Array, ArrayFile, Header, Pieces, refuse_unless, write
from lamina.indexes.outlines import directions_of, outlines_of
from lamina.indexes.places import Place, Places, Sight
from lamina.indexes.signs import signs_of, words_for
from lamina.indexes.views import View, positions

KIND: Final = "vectors"
_CHUNK: Final = 1024
"""As many rows as fit, turned into floats, into the cache of a processor core."""

_SAMPLE: Final = 10_000
_NO_ROWS: Final = np.zeros((0, 0), "f4")


@dataclass(frozen=True, slots=True)
class VectorBatch:
    """Some records with their vectors, which are of unit length; one row each."""

    rids: Array
    places: Sequence[Place]
    vectors: Array

    def __post_init__(self) -> None:
        """Refuse what would be found at random, or crash a search."""
        if self.vectors.ndim != 2 or not len(self.rids) == len(self.places) == len(self.vectors):
            raise ValueError("as many rows of vectors as records, with a place each")
        if not np.isfinite(self.vectors).all():
            raise ValueError("vectors are finite numbers")


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of eight-bit numbers; a row times its scale has unit length."""

    rids: Array
    codes: Array
    scales: Array

    @classmethod
    def of(cls, rids: Array, vectors: Array) -> "Rows":
        """Round vectors to eight bits."""
        peaks = np.abs(vectors).max(axis=1, keepdims=True, initial=0).astype("f4")
        codes = np.rint(vectors * (127 / np.where(peaks > 0, peaks, 1))).astype("i1")
        squares = np.einsum("ij,ij->i", codes, codes, dtype="f4")
        # The length of the rounded row, and not of the given one, makes the cosine right.
        scales = np.where(squares > 0, 1 / np.sqrt(np.where(squares > 0, squares, 1)), 0)
        return cls(np.asarray(rids, "i8"), codes, scales.astype("f4"))

    @classmethod
    def joined(cls, parts: Iterable["Rows"]) -> "Rows":
        """Rows after rows."""
        # Where there are no rows, nobody has said how long they are.
        full = [part for part in parts if len(part.rids)] or [cls.of(np.zeros(0), _NO_ROWS)]
        return cls(
            np.concatenate([part.rids for part in full]),
            np.concatenate([part.codes for part in full]),
            np.concatenate([part.scales for part in full]),
        )

    def __getitem__(self, chosen: Array) -> "Rows":
        return Rows(self.rids[chosen], self.codes[chosen], self.scales[chosen])

    def floats(self, chosen: Array | slice) -> Array:
        """Some rows as they would be found in a search."""
        return self.codes[chosen].astype("f4") * self.scales[chosen][:, None]

    def cosines(self, query: Array, chosen: Array | None = None) -> Array:
        """How near rows are to a query of unit length: some of them, or all.

        `vecdot` takes one row at a time. A product with the matrix would wake the threads of the
        linear algebra library, which costs more than it saves at this size.
        """
        number = len(self.rids) if chosen is None else len(chosen)
        found = np.empty(number, "f4")
        buffer = np.empty((min(_CHUNK, number), self.codes.shape[1]), "f4")
        for at in range(0, number, _CHUNK):
            end = min(at + _CHUNK, number)
            rows = self.codes[at:end] if chosen is None else self.codes.take(chosen[at:end], axis=0)
            buffer[: end - at] = rows
            np.vecdot(buffer[: end - at], query, out=found[at:end])
        found *= self.scales if chosen is None else self.scales.take(chosen)
        return found


@dataclass(frozen=True, slots=True)
class VectorSegment:
    """Immutable; may be shared between threads."""

    file: ArrayFile
    rows: Rows
    """In the order of their records."""
    places: Places
    middle: Array
    directions: Array
    """Along which outlines are taken, one in each column; none where there are no outlines."""
    outlines: Array
    signs: Array
    """On which side of the middle of all rows each number of a row is."""
    gone: Array

    @classmethod
    def open(cls, path: Path) -> "VectorSegment":
        """Map a segment.

        Raises:
            IndexDamagedError: The file is not a whole vector segment.
        """
        file = ArrayFile.open(path)
        refuse_unless(file.header.kind == KIND, path, "is not about vectors")
        rids, codes, scales = file.named("rids", "codes", "scales")
        middle, directions, outlines = file.named("middle", "directions", "outlines")
        signs, gone = file.named("signs", "gone")
        fits = (
            codes.ndim == directions.ndim == 2
            and rids.shape == scales.shape == (len(codes),)
            and middle.shape == directions.shape[:1] == (codes.shape[1],)
            and outlines.shape == (len(codes) if directions.shape[1] else 0, 1)
            and signs.shape == (len(codes), words_for(codes.shape[1]))
        )
        refuse_unless(fits, path, "has rows that do not fit together")
        places, rows = Places.of_file(file, len(rids)), Rows(rids, codes, scales)
        return cls(file, rows, places, middle, directions, outlines, signs, gone)

    @classmethod
    def build(
        cls, path: Path, header: Header, batches: Iterable[VectorBatch], gone: Iterable[int] = ()
    ) -> "VectorSegment":
        """Write the segment of some vectors.

        `gone` are records that were changed within what the header covers and have no vector.
        """
        parts: list[Rows] = []
        numbers: dict[Place, int] = {}
        where: list[int] = []
        for batch in batches:
            parts.append(Rows.of(batch.rids, batch.vectors))
            where += [numbers.setdefault(place, len(numbers)) for place in batch.places]
        rows = Rows.joined(parts)
        places = Places.of(list(numbers), np.array(where, "u4"))
        return _written(path, header, rows, places, np.array(sorted(gone), "i8"))

    @classmethod
    def merge(
        cls, path: Path, header: Header, views: Sequence[View["VectorSegment"]]
    ) -> "VectorSegment":
        """Write one segment for several that follow one another, without what is dead in them."""
        alive = [view.alive() for view in views]
        kept = [view.segment.rows[mask] for view, mask in zip(views, alive, strict=True)]
        rows = Rows.joined(kept)
        parts = [(view.segment.places, mask) for view, mask in zip(views, alive, strict=True)]
        places = Places.joined(parts, np.arange(len(rows.rids)))
        gone = gone_from(header, views, rows.rids)
        return _written(path, header, rows, places, gone)

    @property
    def header(self) -> Header:
        return self.file.header

    def __len__(self) -> int:
        return len(self.rows.rids)

    def changed(self) -> Array:
        return np.union1d(self.rows.rids, self.gone)

    def nearest(
        self, view: View["VectorSegment"], query: Array, limit: int, sight: Sight
    ) -> tuple[Array, Array]:
        return looking.nearest(view, query, limit, sight)

    def taken(self, at: Array) -> Callable[[Array], Array]:
        # A copy, all in one place: a sample is compared with many queries.
        return self.rows[at].cosines

    def positions(self, rids: Array) -> Array:
        return positions(self.rows.rids, rids)


def gone_from(header: Header, views: Sequence[View[Any]], rids: Array) -> Array:
    """What segments that are joined take away from those before them, beside what they hold."""
    gone = np.zeros(0, "i8")
    if not header.lo:
        return gone
    changed = np.concatenate([gone, *(view.segment.changed() for view in views)])
    return np.setdiff1d(changed, rids)


def _written(path: Path, header: Header, rows: Rows, places: Places, gone: Array) -> VectorSegment:
    order = np.argsort(rows.rids)
    rids = rows.rids[order]
    if len(rids) > 1 and not (np.diff(rids) > 0).all():
        raise ValueError("a record is in a segment once only")
    middle = _middle(rows)
    directions = directions_of(rows.floats, len(rids), middle)
    outlined = order if directions.shape[1] else order[:0]
    arrays: dict[str, Array | Pieces] = {
        "rids": rids,
        "gone": gone,
        "scales": rows.scales[order],
        **places.arrays(),
        "place": places.of_document[order],
        "middle": middle,
        "directions": directions,
        "outlines": Pieces(
            "<u8",
            (len(outlined), 1),
            (outlines_of(rows.floats(part), middle, directions) for part in _parts(outlined)),
        ),
        "signs": Pieces(
            "<u8",
            (len(rids), words_for(len(middle))),
            (signs_of(rows.floats(part), middle) for part in _parts(order)),
        ),
        "codes": Pieces(
            "|i1", rows.codes.shape, (rows.codes.take(part, axis=0) for part in _parts(order))
        ),
    }
    write(path, header, arrays, {"layers": list(places.layer_names)})
    return VectorSegment.open(path)


def _middle(rows: Rows) -> Array:
    """The mean of some rows, taken evenly."""
    some = rows.floats(slice(None, None, max(1, len(rows.rids) // _SAMPLE)))
    return some.mean(axis=0) if len(some) else np.zeros(rows.codes.shape[1], "f4")


def _parts(order: Array) -> Iterator[Array]:
    for at in range(0, len(order), _CHUNK):
        yield order[at : at + _CHUNK]
