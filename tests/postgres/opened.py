"""What the tests of the infrastructure share: sessions, and stores without the rules on top."""

from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext

from lamina.stores.postgres.address import parse
from lamina.stores.postgres.connections import Connections
from lamina.stores.postgres.dialect import DIALECT
from lamina.stores.postgres.driver import Connection, connect
from tests.postgres.lending import lent_address
from tests.postgres.shared import fresh_address

ADD = "insert into stream (name, seq, hash) values (?, 0, '')"


@contextmanager
def session(address: str | None = None) -> Iterator[Connection]:
    """One session, by default with an empty place."""
    with closing(connect(parse(address or fresh_address()), DIALECT)) as connection:
        yield connection


@contextmanager
def opened(address: str | None = None) -> Iterator[Connections]:
    """The connections of a store, which is made if need be; without an address, of an empty one."""
    with lent_address() if address is None else nullcontext(address) as given:
        connections = Connections(parse(given), DIALECT)
        connections.open()
        with closing(connections):
            yield connections


def add(connections: Connections, name: str) -> None:
    """Write a row that can be counted."""
    connections.write(lambda connection: connection.execute(ADD, (name,)))


def names(connections: Connections) -> list[str]:
    """The rows that were written."""
    with connections.reading(snapshot=False) as reader:
        return [name for (name,) in reader.execute("select name from stream order by sid")]
