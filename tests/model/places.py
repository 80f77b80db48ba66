"""Where the histories run: each store, made new in a folder and opened again in it."""

from collections.abc import Callable
from pathlib import Path

from lamina.stores.base import Store
from lamina.stores.ephemeral import EphemeralStore
from lamina.stores.json_file import JsonFileStore
from lamina.stores.sqlite.store import SqliteStore

Reopen = Callable[[Store | None], Store]


def _ephemeral(folder: Path) -> Reopen:
    del folder
    return lambda old: EphemeralStore() if old is None else old


def _json_file(folder: Path) -> Reopen:
    # Saved when it is closed, not meanwhile: a timer would only slow the histories down.
    return lambda old: _after(
        old, lambda: JsonFileStore(folder / "memory.json", debounce_seconds=60)
    )


def _sqlite(folder: Path) -> Reopen:
    return lambda old: _after(old, lambda: SqliteStore(folder))


def _after(old: Store | None, fresh: Callable[[], Store]) -> Store:
    if old is not None:
        old.close()
    return fresh()


PLACES: dict[str, Callable[[Path], Reopen]] = {
    "ephemeral": _ephemeral,
    "json": _json_file,
    "sqlite": _sqlite,
}
