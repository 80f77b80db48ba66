"""Looking whether there is a store, without making one."""

from contextlib import closing

from lamina.stores.postgres import migrations
from lamina.stores.postgres.address import parse
from lamina.stores.postgres.dialect import DIALECT
from lamina.stores.postgres.driver import connect


def is_there(address: str) -> bool:
    """Whether the schema that an address names holds a store.

    Raises:
        StoreDamagedError: It holds something else.
    """
    parsed = parse(address)
    with closing(connect(parsed, DIALECT)) as connection:
        return migrations.is_there(connection, parsed.schema)
