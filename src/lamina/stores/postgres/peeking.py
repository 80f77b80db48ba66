"""Looking whether there is a store at an address, without making one."""

from contextlib import closing

from lamina.stores.postgres import migrations
from lamina.stores.postgres.address import parse
from lamina.stores.postgres.dialect import DIALECT
from lamina.stores.postgres.driver import connect


def is_there(address: str) -> bool:
    """Whether a store is there; what could not become one is refused."""
    place = parse(address)
    with closing(connect(place, DIALECT)) as connection:
        return migrations.is_there(connection, place.schema)
