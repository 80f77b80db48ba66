"""What of the past may go: counted page by page, and taken away a few records at a time.

A store may hold millions of versions. No step reads, or keeps writers waiting, for longer than a
page takes.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from lamina.core.ids import RecordId
from lamina.core.instants import to_text
from lamina.core.retention import Cut, Pruned, Retention
from lamina.stores.sql import lines
from lamina.stores.sql.connections import Connections
from lamina.stores.sql.driver import Connection, Value, one, rows
from lamina.stores.sql.predicates import Predicate
from lamina.stores.sql.present import Present

_PAGE: Final = 2000
_AT_ONCE: Final = 200
_PAST: Final = (
    "with recursive cut (layer, versions, before) as materialized ({cuts}),"
    " page as materialized (select rid, id, sid, layer, head from record where {which}),"
    " line (rid, prev, ended, age) as"
    " (select p.rid, v.prev, v.to_seq, 0 from page p join version v on v.vid = p.head union all"
    "  select l.rid, case when v.prev < v.vid then v.prev end, v.to_seq, l.age + 1"
    "  from line l join version v on v.vid = l.prev)"
    " select p.rid, p.id, p.layer, count(*), min(case when l.age > 0"
    " and (l.age > c.versions or e.at < c.before) then l.age end)"
    " from line l join page p on p.rid = l.rid left join cut c on c.layer = p.layer"
    " left join event e on e.sid = p.sid and e.seq = l.ended group by p.rid, p.id, p.layer"
)
"""Each record with its versions, and how far back the first one lies that goes.

What goes is always the far end of the line: the older a version is, the earlier it was replaced.
"""
_NEXT_PAGE: Final = "rid > ? order by rid limit ?"
_SOME: Final = "id in (select value from json_each(?))"
_HOLD: Final = f"select rid from record where {_SOME} order by rid"
_CUT: Final = "select cast(? as text), cast(? as bigint), cast(? as text)"
_NO_CUT: Final = "select null, 0, null where false"
_OLD_RECEIPT: Final = (
    " from receipt x join stream s on s.name = {0.receipt_stream}"
    " join event e on e.sid = s.sid and e.seq = {0.receipt_seq} where e.at < ?"
)
"""A receipt names the events it speaks of; one of a request that changed nothing names none."""
_DROP_RECEIPTS: Final = (
    f"delete from receipt where (owner, key) in (select x.owner, x.key{_OLD_RECEIPT} limit ?)"
)


class _Past(NamedTuple):
    """One record: how many versions it has, and which is the first that goes."""

    rid: int
    id: RecordId
    layer: str
    versions: int
    first_gone: int | None

    @property
    def gone(self) -> int:
        return 0 if self.first_gone is None else self.versions - self.first_gone


def prunable(connections: Connections, retention: Retention) -> Pruned:
    """Count what would go."""
    kept: Counter[str] = Counter()
    gone: Counter[str] = Counter()
    for past in _walk(connections, retention):
        kept[past.layer] += past.versions
        gone[past.layer] += past.gone
    return Pruned(dict(kept), dict(+gone), _count_receipts(connections, retention.receipts_before))


def prune(connections: Connections, retention: Retention) -> Pruned:
    """Take away what goes, and say what went."""
    kept: Counter[str] = Counter()
    gone: Counter[str] = Counter()
    waiting: list[RecordId] = []
    for past in _walk(connections, retention):
        kept[past.layer] += past.versions
        if past.gone:
            waiting.append(past.id)
        if len(waiting) == _AT_ONCE:
            gone += _prune_some(connections, retention, waiting)
            waiting = []
    gone += _prune_some(connections, retention, waiting)
    return Pruned(dict(kept), dict(gone), _drop_receipts(connections, retention.receipts_before))


def _walk(connections: Connections, retention: Retention) -> Iterator[_Past]:
    last = 0
    while True:
        with connections.reading(snapshot=False) as connection:
            page = _past(connection, retention.cuts, Predicate(_NEXT_PAGE, (last, _PAGE)))
        if not page:
            return
        yield from page
        last = max(past.rid for past in page)


def _prune_some(
    connections: Connections, retention: Retention, ids: Sequence[RecordId]
) -> Counter[str]:
    """Prune these records; what goes is worked out anew, because it may have changed since.

    And nobody may add to them meanwhile: versions are told by how many came behind them.
    """

    def work(connection: Connection) -> Counter[str]:
        Present.of(connection)
        gone: Counter[str] = Counter()
        some = (json.dumps(list(ids)),)
        list(rows(connection, _HOLD + connection.dialect.alone, some))
        for past in _past(connection, retention.cuts, Predicate(_SOME, some)):
            if past.first_gone is not None:
                gone[past.layer] += lines.shorten(connection, past.id, past.first_gone - 1)
        return gone

    return connections.write(work) if ids else Counter()


def _past(connection: Connection, cuts: Sequence[Cut], which: Predicate) -> list[_Past]:
    """What some records have behind them."""
    sql = _PAST.format(cuts=" union all ".join([_CUT] * len(cuts)) or _NO_CUT, which=which.sql)
    given: list[Value] = []
    for cut in cuts:
        given += [cut.layer, cut.versions, None if cut.before is None else to_text(cut.before)]
    return [_Past(*row) for row in rows(connection, sql, (*given, *which.parameters))]


def _count_receipts(connections: Connections, before: datetime | None) -> int:
    if before is None:
        return 0
    with connections.reading(snapshot=False) as connection:
        sql = f"select count(*){_OLD_RECEIPT}".format(connection.dialect)
        return int(one(connection, sql, (to_text(before),)))


def _drop_receipts(connections: Connections, before: datetime | None) -> int:
    dropped = 0
    while before is not None:
        given: tuple[Value, ...] = (to_text(before), _PAGE)

        def work(connection: Connection, given: tuple[Value, ...] = given) -> int:
            Present.of(connection)
            connection.execute(_DROP_RECEIPTS.format(connection.dialect), given)
            return connection.changes()

        went = connections.write(work)
        dropped += went
        if went < _PAGE:
            break
    return dropped
