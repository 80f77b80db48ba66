"""Building anew what follows from the records, and nothing else.

First the records are verified. If they are damaged nothing is touched.
"""

from collections.abc import Callable, Iterator
from typing import Final

from lamina.core.record import Record
from lamina.errors import StoreDamagedError
from lamina.stores.base import Aids, Repair
from lamina.stores.ledger import Ledger
from lamina.stores.sql.care.fixing import fix, refuse_damage
from lamina.stores.sql.care.looking import Look, measure
from lamina.stores.sql.driver import one
from lamina.stores.sqlite.care import ledger as tombstones
from lamina.stores.sqlite.care.checking import vouched
from lamina.stores.sqlite.care.pages import leniently, pages
from lamina.stores.sqlite.care.rewriting import rewrite
from lamina.stores.sqlite.care.tables import (
    LOSABLE,
    VECTORS,
    WORDS,
    expected,
    found,
    is_derived,
    quoted,
)
from lamina.stores.sqlite.care.vectors import mend
from lamina.stores.sqlite.care.words import reindex
from lamina.stores.sqlite.connections import Connections
from lamina.stores.sqlite.driver import Connection

_FORMAT: Final = "insert or replace into setting values ('format', ?)"


def repair(
    connections: Connections,
    ledger: Ledger,
    analyse: Callable[[Record], tuple[str, ...]],
    tell: Callable[[float], None],
) -> Repair:
    """Verify the records, then build everything else from them."""
    in_order = _verified(connections, lambda share: tell(share / 2))
    done: list[str] = []

    def work(connection: Connection) -> int:
        done[:] = _put_right(connection)
        return reindex(connection, analyse, lambda share: tell((1 + share) / 2))

    indexed = None
    if in_order:
        try:
            indexed = connections.write(work)
        except StoreDamagedError:
            # What is damaged cannot always be taken out piece by piece.
            in_order = False
    if indexed is None:
        indexed = rewrite(connections, work)
        done[:] = ["the file was written anew"]
    done += _bury(connections, ledger)
    tell(1.0)
    return Repair(indexed, tuple(done))


def _verified(connections: Connections, tell: Callable[[float], None]) -> bool:
    """Whether the file is in order, once it is certain that the records are whole."""
    with connections.reading() as connection, leniently(connection):
        look = Look(connection, Aids(tell=tell), measure(connection))
        refuse_damage(vouched(look))
        ill = list(pages(connection, sound=True))
        refuse_damage(ill)
    return not any(finding.check == "file" for finding in ill)


def _put_right(connection: Connection) -> list[str]:
    """Everything but the words; say what was wrong."""
    # Triggers first: they would join in whatever is done next.
    done = list(_take_out(connection))
    _drop_altered(connection)
    done += fix(connection)
    done += _make_again(connection)
    done += mend(connection, Look(connection, Aids()))
    number = str(one(connection, "pragma user_version"))
    if one(connection, "select value from setting where name = 'format'") != number:
        connection.execute(_FORMAT, (number,))
        done.append(f"the format was noted as {number}")
    return done


def _take_out(connection: Connection) -> Iterator[str]:
    """Whatever holds no data and is not what the migrations make."""
    for (kind, name), sql in sorted(found(connection).items(), reverse=True):
        ours = expected().get((kind, name))
        if ours == sql or (kind == "table" and name not in ("word_posting", "word_count")):
            continue
        connection.execute(f"drop {kind} if exists {quoted(name)}")
        if ours is None:
            yield f"the {kind} `{name:.60}` was removed"


def _drop_altered(connection: Connection) -> None:
    """Tables that can do without their rows and are not as they should be; they begin empty."""
    here = found(connection)
    for name in LOSABLE:
        key = ("table", name)
        if here.get(key, expected()[key]) != expected()[key]:
            # Without its spaces no vector belongs anywhere.
            before = VECTORS[: VECTORS.index(name)] if name in VECTORS else ()
            for gone in (*before, name):
                connection.execute(f"drop table if exists {quoted(gone)}")


def _make_again(connection: Connection) -> Iterator[str]:
    here = found(connection)
    for (kind, name), sql in expected().items():
        made_with_the_words = name in WORDS and name not in ("word_posting", "word_count")
        if (kind, name) not in here and is_derived(kind, name) and not made_with_the_words:
            connection.execute(sql)
            yield f"the {kind} `{name}` was made again"


def _bury(connections: Connections, ledger: Ledger) -> Iterator[str]:
    """Tombstones that the log tells of."""
    with connections.reading(snapshot=False) as connection:
        lost = tombstones.missing(connection, ledger.tombstones())
    if lost:
        ledger.take(lost)
        yield f"tombstones were put back into the ledger: {len(lost)}"
