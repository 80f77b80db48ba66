"""The rows of a statement that may have millions of them: fetched some at a time, never all held.

By a cursor of the server, so that other statements may be asked on the same connection in between.
It sees what its transaction saw when it began, and ends with it.
"""

from collections.abc import Iterator
from itertools import count
from typing import Final

from lamina.stores.sql.driver import Connection, Row, Value, rows

AT_ONCE: Final = 200
"""Rows in hand at a time: a round trip for so many costs each next to nothing."""
_NUMBERS: Final = count(1)


def each(connection: Connection, sql: str, parameters: tuple[Value, ...]) -> Iterator[Row]:
    """The rows, as far as they are asked for; only within a transaction."""
    name = f"each_{next(_NUMBERS)}"
    connection.execute(f"declare {name} no scroll cursor for {sql}", parameters)
    while True:
        found = list(rows(connection, f"fetch {AT_ONCE} from {name}"))
        yield from found
        if len(found) < AT_ONCE:
            break
    # Who leaves before the end leaves it to the transaction: by then this may be another one's.
    connection.execute(f"close {name}")
