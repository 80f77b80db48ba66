"""The nearest vectors, from copies that this process keeps of a stream's and brings up to date.

Truth is the table; these are arrays for comparing fast. They are loaded when a stream is first
asked about, and follow the log and the making of vectors from then on.
"""

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from lamina.core.vectors import Spread, Vector
from lamina.stores.sqlite.driver import Connection, one, rows
from lamina.stores.sqlite.searching import Within, layers_in

_SAMPLE: Final = 1000
_COLUMNS: Final = "x.rid, r.scope, r.layer, x.body"
_STANDING: Final = (
    f"select {_COLUMNS} from record r join vector x on x.rid = r.rid and x.space = ?"
    " where (r.scope = ? or r.scope > ? and r.scope < ?) and x.vid = r.head and r.length > 0"
    " and x.body is not null"
)
_NEW: Final = (
    f"select {_COLUMNS} from vector x join record r on r.rid = x.rid where x.n > ? and x.space = ?"
    " and r.sid = ? and x.vid = r.head and r.length > 0 and x.body is not null"
)
_TOUCHED: Final = (
    "select r.rid, r.scope, r.layer, case when x.vid = r.head and r.length > 0 then x.body end"
    " from (select distinct record from event where sid = ? and seq > ?) t"
    " join record r on r.id = t.record left join vector x on x.rid = r.rid and x.space = ?"
)
_GONE: Final = "select count(*) from event where sid = ? and seq > ? and action = 'erased'"
_PLACE: Final = "select s.seq, (select max(made) from space) from stream s where s.sid = ?"

Floats: TypeAlias = npt.NDArray[np.float32]


@dataclass(slots=True)
class _Copies:
    """The vectors of one stream in one space, in arrays that grow."""

    seq: int = -1
    made: int = 0
    number: int = 0
    rids: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    groups: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    """The scope and layer of each, as a number; -1 where the row is not in use."""
    matrix: Floats = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    places: dict[int, int] = field(default_factory=dict)
    names: dict[tuple[str, str], int] = field(default_factory=dict)

    def put(self, rid: int, scope: str, layer: str, body: bytes | None) -> None:
        """Set, replace or, without a vector, take out what is known of a record."""
        place = self.places.get(rid)
        if body is None:
            if place is not None:
                self.groups[place] = -1
                del self.places[rid]
            return
        values = np.frombuffer(body, "<f2").astype(np.float32)
        if place is None:
            place = self._room(values.shape[0])
            self.places[rid] = place
        self.rids[place] = rid
        self.groups[place] = self.names.setdefault((scope, layer), len(self.names))
        self.matrix[place] = values

    def _room(self, dimensions: int) -> int:
        if self.number == len(self.rids):
            size = max(256, 2 * self.number)
            self.rids = np.resize(self.rids, size)
            self.groups = np.concatenate(
                (self.groups, np.full(size - self.number, -1, np.int32)), dtype=np.int32
            )
            wider = np.zeros((size, dimensions), np.float32)
            if self.number:
                wider[: self.number] = self.matrix
            self.matrix = wider
        self.number += 1
        return self.number - 1

    def allowed(self, within: Within) -> npt.NDArray[np.int64]:
        """The rows that may be looked at."""
        layers = layers_in(within.where)
        seen = np.zeros(len(self.names) + 1, bool)
        for (scope, layer), number in self.names.items():
            seen[number] = layer in layers and any(
                grant.covers(scope, layer) for grant in within.reach.grants
            )
        # The last entry, which -1 leads to, stays false.
        rows_seen = np.flatnonzero(seen[self.groups[: self.number]])
        if within.touched:
            untouched = ~np.isin(self.rids[rows_seen], list(within.touched))
            rows_seen = rows_seen[untouched]
        return rows_seen


class Copies:
    """What one store keeps in the memory of this process, for all its threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple[int, int], _Copies] = {}

    def current(self, connection: Connection, space: int, sid: int) -> _Copies:
        """The copies of a stream, brought up to what the connection sees."""
        with self._lock:
            known = self._known.setdefault((space, sid), _Copies())
            [(seq, made)] = rows(connection, _PLACE, (sid,))
            if known.seq < 0 or self._must_reload(connection, known, sid):
                self._known[space, sid] = known = _Copies()
                _load(connection, known, space, sid)
            elif (known.seq, known.made) != (seq, made):
                for row in rows(connection, _TOUCHED, (sid, known.seq, space)):
                    known.put(*row)
                for row in rows(connection, _NEW, (known.made, space, sid)):
                    known.put(*row)
            known.seq, known.made = max(known.seq, seq), max(known.made, made or 0)
            return known

    def drop(self) -> None:
        """Forget everything, so that it is read anew."""
        with self._lock:
            self._known.clear()

    @staticmethod
    def _must_reload(connection: Connection, known: _Copies, sid: int) -> bool:
        """An erased record has no row any more that would tell what to take out."""
        return bool(one(connection, _GONE, (sid, known.seq)))


class Nearest:
    """One question as a point, asked of streams one after the other."""

    def __init__(self, copies: Copies, connection: Connection, asked: Vector) -> None:
        self._copies = copies
        self._connection = connection
        self._space = int(
            one(connection, "select space from space where fingerprint = ?", (asked.space,)) or 0
        )
        self._asked = np.frombuffer(asked.values, "<f4")
        self._samples: list[Floats] = []

    def ranked(self, within: Within) -> Iterator[tuple[int, float]]:
        """The records of a stream that may be looked at, nearest first, each with its cosine."""
        known = self._copies.current(self._connection, self._space, within.sid)
        allowed = known.allowed(within)
        if not len(allowed) or not self._space:
            return
        cosines = self._compare(known, allowed)
        self._samples.append(cosines[:: max(1, len(cosines) // _SAMPLE)])
        rids = known.rids[allowed]
        for place in np.lexsort((-rids, -cosines)):
            yield int(rids[place]), float(cosines[place])

    def cosines(self, within: Within, rids: Iterable[int]) -> dict[int, float]:
        """How near these records are, as far as they have vectors that count."""
        known = self._copies.current(self._connection, self._space, within.sid)
        there = [rid for rid in rids if rid in known.places and rid not in within.touched]
        if not there or not self._space:
            return {}
        places = np.array([known.places[rid] for rid in there])
        return dict(zip(there, map(float, self._compare(known, places)), strict=True))

    def spread(self) -> Spread | None:
        """How near records lie in general, by a sample of what was compared."""
        if not self._samples:
            return None
        every = np.concatenate(self._samples)
        return Spread(float(every.mean()), float(every.std()))

    def _compare(self, known: _Copies, places: npt.NDArray[np.int64]) -> Floats:
        every = len(places) == known.number
        matrix = known.matrix[: known.number] if every else known.matrix[places]
        near: Floats = matrix @ self._asked
        return near


def _load(connection: Connection, known: _Copies, space: int, sid: int) -> None:
    name = one(connection, "select name from stream where sid = ?", (sid,))
    for row in rows(connection, _STANDING, (space, name, f"{name}/", f"{name}0")):
        known.put(*row)
