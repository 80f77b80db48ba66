"""Building anew what follows from the records, and nothing else."""

from collections.abc import Callable
from typing import Final

from lamina.core.record import Record
from lamina.stores.base import Repair
from lamina.stores.postgres import holding
from lamina.stores.postgres.care.checking import audit
from lamina.stores.postgres.care.words import LONG_SECONDS, reindex
from lamina.stores.postgres.connections import Connections
from lamina.stores.postgres.driver import Connection as Session
from lamina.stores.sql.care.fixing import fix, refuse_damage
from lamina.stores.sql.driver import Connection

_BURY: Final = (
    "insert into tombstone (id, at) select e.record, min(e.at) from event e"
    " where e.action = 'erased' group by e.record on conflict do nothing"
)
_STRAY_VECTORS: Final = (
    "delete from vector x where not exists"
    " (select 1 from record r where r.rid = x.rid and r.sid = x.sid)"
)


def repair(
    connections: Connections,
    analyse: Callable[[Record], tuple[str, ...]],
    tell: Callable[[float], None],
) -> Repair:
    """Verify the records, then build everything else from them."""
    refuse_damage(audit(connections, None))
    tell(0.3)

    def work(connection: Session) -> list[str]:
        with connection.patiently(LONG_SECONDS):
            return _put_right(connection)

    done = connections.write(work, needs=holding.EVERYTHING)
    indexed = reindex(connections, analyse, lambda share: tell(0.4 + 0.6 * share))
    tell(1.0)
    return Repair(indexed, tuple(done))


def _put_right(connection: Connection) -> list[str]:
    done = list(fix(connection))
    for sql, what in (
        (_BURY, "tombstones were put back: {}"),
        (_STRAY_VECTORS, "vectors of no record were taken away: {}"),
    ):
        connection.execute(sql)
        if changed := connection.changes():
            done.append(what.format(changed))
    return done
