"""A vector segment: rows of eight-bit numbers in lists of near ones, mapped from a file."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from lamina.indexes import ivf, looking
from lamina.indexes.file import Array, ArrayFile, Header, Pieces, refuse_unless, write
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
    """List after list, within a list by record."""
    places: Places
    centres: Array
    starts: Array
    """Where the rows of each list start, and where the last one's end."""
    order: Array
    """The positions of rows in the order of their records."""
    middle: Array
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
        centres, starts, order = file.named("centres", "starts", "order")
        middle, signs, gone = file.named("middle", "signs", "gone")
        fits = (
            codes.ndim == centres.ndim == 2
            and codes.shape[1] == centres.shape[1]
            and rids.shape == scales.shape == order.shape == (len(codes),)
            and starts.shape == (len(centres) + 1,)
            and middle.shape == (codes.shape[1],)
            and signs.shape == (len(codes), words_for(codes.shape[1]))
            and int(starts[-1]) == (len(codes) if len(centres) else 0)
            and (starts[1:] >= starts[:-1]).all()
        )
        refuse_unless(fits, path, "has rows that do not fit together")
        places, rows = Places.of_file(file, len(rids)), Rows(rids, codes, scales)
        return cls(file, rows, places, centres, starts, order, middle, signs, gone)

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
        return _written(path, header, _listed(rows, places), np.array(sorted(gone), "i8"))

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
        return _written(path, header, _listed_again(rows, places, views, alive), gone)

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
        return lambda query: self.rows.cosines(query, at)

    def positions(self, rids: Array) -> Array:
        return positions(self.rows.rids, rids, self.order)


def gone_from(header: Header, views: Sequence[View[Any]], rids: Array) -> Array:
    """What segments that are joined take away from those before them, beside what they hold."""
    gone = np.zeros(0, "i8")
    if not header.lo:
        return gone
    changed = np.concatenate([gone, *(view.segment.changed() for view in views)])
    return np.setdiff1d(changed, rids)


@dataclass(frozen=True, slots=True)
class _Listed:
    rows: Rows
    places: Places
    centres: Array
    lists: Array


def _listed(rows: Rows, places: Places) -> _Listed:
    number, width = rows.codes.shape
    centres = ivf.centres_for(rows.floats, number, width)
    return _Listed(rows, places, centres, ivf.assigned(rows.floats, number, centres))


def _listed_again(
    rows: Rows, places: Places, views: Sequence[View[VectorSegment]], alive: Sequence[Array]
) -> _Listed:
    """Keep the lists of the largest segment as long as they are enough: learning takes long."""
    wanted = ivf.lists_for(len(rows.rids))
    at = max(range(len(views)), key=lambda one: len(views[one]), default=0)
    centres = views[at].segment.centres if views else np.zeros((0, 0), "f4")
    if not wanted or 2 * len(centres) < wanted:
        return _listed(rows, places)
    first = sum(map(len, views[:at]))
    last = first + len(views[at])
    starts = views[at].segment.starts
    known = np.repeat(np.arange(len(centres), dtype="u4"), np.diff(starts).astype("i8"))
    others = np.concatenate([np.arange(first), np.arange(last, len(rows.rids))])
    lists = np.empty(len(rows.rids), "u4")
    lists[first:last] = known[alive[at]]
    lists[others] = ivf.assigned(rows[others].floats, len(others), centres)
    return _Listed(rows, places, centres, lists)


def _written(path: Path, header: Header, made: _Listed, gone: Array) -> VectorSegment:
    rows, places = made.rows, made.places
    by_list = np.lexsort((rows.rids, made.lists))
    rids = rows.rids[by_list]
    order = np.argsort(rids).astype("u4")
    if len(rids) > 1 and not (np.diff(rids[order]) > 0).all():
        raise ValueError("a record is in a segment once only")
    starts = np.zeros(len(made.centres) + 1, "u8")
    if len(made.centres):
        np.cumsum(np.bincount(made.lists, minlength=len(made.centres)), out=starts[1:])
    middle = _middle(rows)
    arrays: dict[str, Array | Pieces] = {
        "rids": rids,
        "gone": gone,
        "order": order,
        "scales": rows.scales[by_list],
        "centres": made.centres,
        "starts": starts,
        **places.arrays(),
        "place": places.of_document[by_list],
        "middle": middle,
        "signs": Pieces(
            "<u8",
            (len(rids), words_for(len(middle))),
            (signs_of(rows.floats(part), middle) for part in _parts(by_list)),
        ),
        "codes": Pieces(
            "|i1", rows.codes.shape, (rows.codes.take(part, axis=0) for part in _parts(by_list))
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
