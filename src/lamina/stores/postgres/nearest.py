"""The nearest vectors: all of them compared where they are few, by a graph where they are many.

Whether they are few is asked of what may be looked at, not of the whole store: a small scope in a
large project gets an exact answer.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from lamina.core.filters import Filter
from lamina.core.vectors import Sample, Vector, unpacked
from lamina.stores.postgres.vectors import VALID, Space, written
from lamina.stores.sql.driver import Connection, Row, Value, one, rows
from lamina.stores.sql.predicates import Predicate, everything
from lamina.stores.sql.searching import Within

FEW: Final = 20_000
"""So many are compared one by one, which takes some ten milliseconds."""
_FIRST: Final = 128
_GROWTH: Final = 8
_SAMPLE: Final = 1_000
_EFFORT: Final = (
    # What is asked for may lie among much that may not be seen: the walk goes on until it is found.
    "set local hnsw.iterative_scan = relaxed_order",
    "set local hnsw.ef_search = 200",
)
_UNREADY: Final = (
    "vectors: a large project has no graph of them yet, so searching takes longer; `lamina"
    " maintain` builds it"
)
_COUNTING: Final = f"vector x join record r on r.rid = x.rid and {VALID} where x.body is not null"
_EXACT: Final = (
    "select rid, cosine, avg(cosine) over (), count(*) over () from (select x.rid,"
    f" 1 - (x.body <=> cast(? as halfvec)) as cosine from {_COUNTING}"
    " and x.space = ? and x.sid = ? and x.home = ? and {sight}) as found"
    " order by cosine desc, rid desc limit ?"
)
_BY_GRAPH: Final = (
    "select x.rid, 1 - (x.body <=> cast(? as halfvec)) as cosine"
    f" from {_COUNTING} and x.space = {{space}} and x.home = {{home}} and x.sid = ? and {{sight}}"
    " order by cast(x.body as halfvec({dimensions})) <=> cast(? as halfvec({dimensions})) limit ?"
)
_GIVEN: Final = (
    f"select x.rid, 1 - (x.body <=> cast(? as halfvec)) from {_COUNTING} and x.space = ?"
    " and x.sid = ? and x.home = ? and x.rid in (select cast(value as bigint) from json_each(?))"
)
_MANY: Final = (
    "select count(*) > ? from (select 1 from record r where r.sid = ? and r.length > 0 and {sight}"
    " limit ?) as found"
)
_EVENLY: Final = (
    "select avg(1 - (x.body <=> cast(? as halfvec))), count(*) from (select first, last,"
    " greatest((last - first) / cast(? as bigint), 1) as step from (select min(rid) as first,"
    " max(rid) as last from record where sid = ?) as ends) as ends,"
    " lateral generate_series(first, last, step) as at,"
    " lateral (select * from vector y where y.rid >= at and y.rid < at + step"
    " and y.space = ? and y.sid = ? and y.home = ? order by y.rid limit 1) as x"
    f" join record r on r.rid = x.rid and {VALID} where x.body is not null and {{sight}}"
)
_STREAM: Final = "select documents > ?, home from stream where sid = ?"
_HAS_GRAPH: Final = "select indisvalid from pg_index where indexrelid = to_regclass(?)"


def graph_name(space: int, home: int) -> str:
    """What the index over the vectors of a space in one partition is called."""
    return f"vector_graph_{space}_{home}"


class Nearest:
    """One question as a point, asked of streams one after the other."""

    def __init__(self, connection: Connection, space: Space, asked: Vector) -> None:
        self._connection = connection
        self._space = space
        self._asked = written(unpacked(asked.values))
        self._samples: list[Sample] = []
        self._streams: dict[int, tuple[bool, int]] = {}
        self._graphs: dict[int, bool] = {}
        self._unready = False

    def ranked(self, within: Within) -> Iterator[tuple[int, float]]:
        """The records of a stream that may be looked at, nearest first, each with its cosine."""
        sight = _sight(within)
        by_graph = self._is_much(within.sid, sight) and self._graph(self._home(within.sid))
        if by_graph:
            self._sample(within.sid, sight)
        told, limit, first = set(within.touched), _FIRST, True
        while limit:
            found = (
                self._by_graph(within.sid, sight, limit)
                if by_graph
                else self._exact(within.sid, sight, limit)
            )
            if first and found and not by_graph:
                self._samples.append(Sample(found[0][2], found[0][3]))
            first = False
            # Who asks for more has more compared, and may find some that were passed over.
            yield from ((row[0], row[1]) for row in found if row[0] not in told)
            told.update(row[0] for row in found)
            limit = limit * _GROWTH if len(found) == limit else 0

    def cosines(self, within: Within, rids: Sequence[int]) -> dict[int, float]:
        """How near these records are, as far as they have vectors that count."""
        there = [rid for rid in rids if rid not in within.touched]
        if not there:
            return {}
        home = self._home(within.sid)
        given = (self._asked, self._space.number, within.sid, home, _listed(there))
        return dict(rows(self._connection, _GIVEN, given))

    def general(self) -> Sample | None:
        """How near records lie in general, by a sample of those that may be looked at."""
        # The stream that has most to say.
        return max(self._samples, key=lambda one: one.size, default=None)

    @property
    def degraded(self) -> tuple[str, ...]:
        """What is not as it should be, for people."""
        return (_UNREADY,) if self._unready else ()

    def _is_much(self, sid: int, sight: Predicate) -> bool:
        if not self._stream(sid)[0]:
            return False
        given = (FEW, sid, *sight.parameters, FEW + 1)
        return bool(one(self._connection, _MANY.format(sight=sight.sql), given))

    def _stream(self, sid: int) -> tuple[bool, int]:
        if sid not in self._streams:
            [(many, home)] = rows(self._connection, _STREAM, (FEW, sid))
            self._streams[sid] = many, home
        return self._streams[sid]

    def _home(self, sid: int) -> int:
        """The partition whose vectors count; elsewhere may be copies."""
        return self._stream(sid)[1]

    def _graph(self, home: int) -> bool:
        if home not in self._graphs:
            name = graph_name(self._space.number, home)
            self._graphs[home] = bool(one(self._connection, _HAS_GRAPH, (name,)))
            self._unready |= not self._graphs[home]
            for setting in _EFFORT if self._graphs[home] else ():
                self._connection.execute(setting)
        return self._graphs[home]

    def _exact(self, sid: int, sight: Predicate, limit: int) -> list[Row]:
        home = self._home(sid)
        given = (self._asked, self._space.number, sid, home, *sight.parameters, limit)
        return list(rows(self._connection, _EXACT.format(sight=sight.sql), given))

    def _by_graph(self, sid: int, sight: Predicate, limit: int) -> list[Row]:
        # The numbers stand in the text: otherwise the server could not know that the index fits.
        sql = _BY_GRAPH.format(
            sight=sight.sql,
            space=self._space.number,
            home=self._home(sid),
            dimensions=self._space.dimensions,
        )
        given = (self._asked, sid, *sight.parameters, self._asked, limit)
        # That it is worth it has been settled; by its own reckoning the server would compare all.
        self._connection.execute("set local enable_sort = off")
        found = list(rows(self._connection, sql, given))
        self._connection.execute("set local enable_sort = on")
        return sorted(found, key=lambda row: (-row[1], -row[0]))

    def _sample(self, sid: int, sight: Predicate) -> None:
        asked: tuple[Value, ...] = (self._asked, _SAMPLE, sid)
        before = (*asked, self._space.number, sid, self._home(sid))
        sql = _EVENLY.format(sight=sight.sql)
        for mean, size in rows(self._connection, sql, (*before, *sight.parameters)):
            if size:
                self._samples.append(Sample(mean, size))


def _sight(within: Within) -> Predicate:
    """What of a stream may be looked at, by scope and layer: these no version changes."""
    layers = tuple(one for one in within.where.conditions if one.field == "layer")
    return everything(within.reach, Filter(layers), None)


def _listed(rids: Sequence[int]) -> str:
    return f"[{','.join(map(str, rids))}]"
