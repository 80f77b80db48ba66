"""The nearest vectors: of a small stream copied into this process, of a large one in segments.

The table holds the truth. What is compared follows the log, because a record that changes loses its
vector, and the numbers that vectors are made by.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from lamina.core.vectors import Sample, Vector
from lamina.indexes.base import NearSegment
from lamina.indexes.file import Header
from lamina.indexes.lance import KIND as LANCE
from lamina.indexes.lance import LanceSegment
from lamina.indexes.vector_index import Vectors
from lamina.indexes.vectors import KIND as VECTORS
from lamina.indexes.vectors import VectorBatch, VectorSegment
from lamina.stores.sql.driver import one, rows
from lamina.stores.sql.searching import Within
from lamina.stores.sqlite.driver import Connection
from lamina.stores.sqlite.following import Following, Known, Place, Reading
from lamina.stores.sqlite.segments import sight_within
from lamina.stores.sqlite.vectors import checksum
from lamina.stores.sqlite.words import LARGE

_TOO_MANY: Final = 100_000
"""Vectors that are not in segments yet and are not read for one search."""
_UNREADY: Final = "vectors: too many are not indexed yet, so some records are found by words alone"
_FIRST: Final = 128
_GROWTH: Final = 8
_COLUMNS: Final = "x.rid, r.scope, r.layer, x.vid, cast(x.body as blob), x.sum"
_COUNTS: Final = "x.vid = r.head and r.length > 0 and x.body is not null"
_STANDING: Final = (
    f"select {_COLUMNS} from record r join vector x on x.rid = r.rid and x.space = ?"
    f" where (r.scope = ? or r.scope > ? and r.scope < ?) and {_COUNTS}"
)
_NEW: Final = (
    f"select {_COLUMNS} from vector x join record r on r.rid = x.rid where x.n > ? and x.space = ?"
    f" and r.sid = ? and {_COUNTS}"
)
_TOUCHED: Final = (
    f"select r.rid, r.scope, r.layer, x.vid, case when {_COUNTS} then cast(x.body as blob) end,"
    " x.sum"
    " from (select distinct record from event where sid = ? and seq > ?) t"
    " join record r on r.id = t.record left join vector x on x.rid = r.rid and x.space = ?"
)
_EVERY: Final = (
    f"select {_COLUMNS} from record r join vector x on x.rid = r.rid and x.space = ?"
    f" where r.sid = ? and r.rid > ? and {_COUNTS} order by r.rid limit ?"
)
_PLACE: Final = (
    "select s.seq, (select max(cast(made as integer)) from space) from stream s where s.sid = ?"
)


Engine: TypeAlias = type[VectorSegment] | type[LanceSegment]
"""What keeps the vectors of large streams: the sort of segments that it makes."""
_SORTS: Final[dict[Engine, str]] = {VectorSegment: VECTORS, LanceSegment: LANCE}


def kind_of(engine: Engine, space: int) -> str:
    """What the names of the files begin with that an engine keeps of a space."""
    return f"{_SORTS[engine]}{space}"


class VectorSegments(Following[Vectors, NearSegment]):
    """The vectors of one space."""

    def __init__(self, folder: Path, space: int, fingerprint: str, engine: Engine) -> None:
        self.sort = _SORTS[engine]
        super().__init__(folder, kind_of(engine, space), engine.open)
        self._engine = engine
        self._space = space
        self._fingerprint = fingerprint

    def _edition(self, connection: Connection) -> str:
        # A space that was left and begun again has another number.
        return f"{self._fingerprint} {self._space}"

    def _is_there(self, connection: Connection) -> bool:
        return bool(one(connection, "select 1 from space where space = ?", (self._space,)))

    def _large(self, connection: Connection) -> list[int]:
        found = rows(connection, "select sid from stream where documents >= ?", (LARGE,))
        return [sid for (sid,) in found]

    def _place(self, connection: Connection, sid: int) -> Place:
        [(seq, made)] = rows(connection, _PLACE, (sid,))
        return Place(seq, made or 0)

    def _of(self, chain: Sequence[NearSegment]) -> Vectors | None:
        return Vectors.of(chain)

    def _news(self, connection: Connection, sid: int, known: Known[Vectors]) -> Vectors | None:
        if self._place(connection, sid).made - known.at.made > _TOO_MANY and _is_much(
            connection, sid
        ):
            return None
        sound = self._soundness(connection)
        if not known.at.seq:
            name = one(connection, "select name from stream where sid = ?", (sid,))
            bounds = (self._space, name, f"{name}/", f"{name}0")
            return known.index.changed(_batch(filter(sound, rows(connection, _STANDING, bounds))))
        touched = list(rows(connection, _TOUCHED, (sid, known.at.seq, self._space)))
        new = list(rows(connection, _NEW, (known.at.made, self._space, sid)))
        put = {row[0]: row for row in (*touched, *new) if sound(row)}
        drop = {row[0] for row in (*touched, *new)} - put.keys()
        return known.index.changed(_batch(put.values()), drop)

    def _whole(self, stream: Reading, path: Path, header: Header) -> NearSegment:
        sound = self._soundness(stream.connection)
        pages = (_batch(filter(sound, page)) for page in stream.pages(_EVERY, self._space))
        return self._engine.build(path, header, (page for page in pages if page is not None))

    def _newest(self, path: Path, header: Header, index: Vectors) -> NearSegment:
        return self._engine.build(path, header, [index.overlay.batch()], index.overlay.gone)

    def _joined(self, path: Path, header: Header, views: Sequence[Any]) -> NearSegment:
        return self._engine.merge(path, header, views)

    def _soundness(self, connection: Connection) -> Callable[[tuple[Any, ...]], bool]:
        """Whether a row is as it was written: a damaged vector is as good as none."""
        sql = "select dimensions from space where space = ?"
        size = 2 * int(one(connection, sql, (self._space,)) or 0)

        def is_sound(row: tuple[Any, ...]) -> bool:
            rid, _, _, vid, body, written = row
            return (
                isinstance(body, bytes)
                and len(body) == size
                and checksum((self._space, rid, vid), body) == written
            )

        return is_sound


class Nearest:
    """One question as a point, asked of streams one after the other."""

    def __init__(
        self,
        segments: VectorSegments,
        connection: Connection,
        asked: Vector,
        trouble: str | None = None,
    ) -> None:
        self._segments = segments
        self._trouble = trouble
        self._connection = connection
        self._asked = np.frombuffer(asked.values, "<f4")
        self._indexes: dict[int, Vectors | None] = {}
        self._samples: list[Sample] = []
        self.unready = False
        """Whether some stream has more vectors than could be read now."""

    def ranked(self, within: Within) -> Iterator[tuple[int, float]]:
        """The records of a stream that may be looked at, nearest first, each with its cosine."""
        index, sight = self._index(within.sid), sight_within(within)
        if index is None:
            self.unready = True
            return
        if not len(index):
            return
        general = index.background(self._asked, sight)
        if general.size:
            self._samples.append(Sample(general.mean, general.size))
        told, limit = set(within.touched), _FIRST
        while limit:
            found = list(index.search(self._asked, limit, sight))
            # Who asks for more has more compared, and may find some that were passed over.
            yield from (pair for pair in found if pair[0] not in told)
            told.update(rid for rid, _ in found)
            limit = limit * _GROWTH if len(found) == limit else 0

    def cosines(self, within: Within, rids: Sequence[int]) -> dict[int, float]:
        """How near these records are, as far as they have vectors that count."""
        index = self._index(within.sid)
        there = [rid for rid in rids if rid not in within.touched]
        if index is None or not there or not len(index):
            return {}
        cosines = index.cosines(self._asked, there).tolist()
        near = zip(there, cosines, strict=True)
        return {rid: cosine for rid, cosine in near if cosine == cosine}

    @property
    def degraded(self) -> tuple[str, ...]:
        """What is not as it should be, for people."""
        trouble = self._trouble and f"vectors: {self._trouble}; the built-in engine answers"
        return tuple(one for one in (trouble, self.unready and _UNREADY) if one)

    def _index(self, sid: int) -> Vectors | None:
        if sid not in self._indexes:
            self._indexes[sid] = self._segments.current(self._connection, sid)
        return self._indexes[sid]

    def general(self) -> Sample | None:
        """How near records lie in general, by a sample of those that may be looked at."""
        # The stream that has most to say.
        return max(self._samples, key=lambda one: one.size, default=None)


def _is_much(connection: Connection, sid: int) -> bool:
    sql = "select documents > ? from stream where sid = ?"
    return bool(one(connection, sql, (_TOO_MANY, sid)))


def _batch(every: Iterable[tuple[Any, ...]]) -> VectorBatch | None:
    found = list(every)
    if not found:
        return None
    vectors = np.frombuffer(b"".join(row[4] for row in found), "<f2").reshape(len(found), -1)
    finite = np.flatnonzero(np.isfinite(vectors).all(axis=1)).tolist()
    rids = np.array([found[at][0] for at in finite], "i8")
    places = [(found[at][1], found[at][2]) for at in finite]
    return VectorBatch(rids, places, vectors[finite].astype("f4"))
