"""Where the histories run: each store, made new and opened again where it is."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeAlias

from lamina.stores.base import Store
from lamina.stores.ephemeral import EphemeralStore
from lamina.stores.json_file import JsonFileStore
from lamina.stores.sqlite.store import SqliteStore

Reopen: TypeAlias = Callable[[Store | None], Store]


@contextmanager
def _ephemeral(folder: Path) -> Iterator[Reopen]:
    del folder
    yield lambda old: EphemeralStore() if old is None else old


@contextmanager
def _json_file(folder: Path) -> Iterator[Reopen]:
    # Saved when it is closed, not meanwhile: a timer would only slow the histories down.
    yield lambda old: _after(
        old, lambda: JsonFileStore(folder / "memory.json", debounce_seconds=60)
    )


@contextmanager
def _sqlite(folder: Path) -> Iterator[Reopen]:
    yield lambda old: _after(old, lambda: SqliteStore(folder))


@contextmanager
def _postgres(folder: Path) -> Iterator[Reopen]:
    from lamina.stores.postgres.store import PostgresStore
    from tests.postgres.lending import lent_address

    del folder
    with lent_address() as address:
        yield lambda old: _after(old, lambda: PostgresStore(address))


def _after(old: Store | None, fresh: Callable[[], Store]) -> Store:
    if old is not None:
        old.close()
    return fresh()


PLACES: dict[str, Callable[[Path], AbstractContextManager[Reopen]]] = {
    "ephemeral": _ephemeral,
    "json": _json_file,
    "sqlite": _sqlite,
    "postgres": _postgres,
}
