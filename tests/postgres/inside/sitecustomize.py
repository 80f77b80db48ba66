"""A store in a directory is in Postgres instead, in this process: which one, is noted by directory.

Python reads this file by itself wherever its folder is on the path, so that the processes that a
test starts reach the same stores; see `tests.postgres.shim`.
"""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import suppress
from dataclasses import replace
from importlib.abc import Loader, MetaPathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

NOTES = "LAMINA_TEST_NOTES"
"""Names the folder of the notes: an address for each directory, and which tests opened one."""
SERVER = "LAMINA_TEST_SERVER"
"""The address of a store, with this in the place of its schema:"""
SCHEMA = "SCHEMA"
OPENED = "opened"


def moved(opening: ModuleType, lend: Callable[[Path, str], str]) -> Callable[[Any], Any]:
    """What opens stores, with an address that is lent where a directory is named."""
    before = opening._open_store

    def open_store(where: str | Path) -> Any:
        if opening._is_no_folder(where):
            return before(where)
        from lamina.stores.filesystem import prepare_folder

        folder = Path(os.path.realpath(opening.check_directory(where)))
        prepare_folder(folder)
        with Path(os.environ[NOTES], OPENED).open("a", encoding="utf-8") as opened:
            opened.write(os.environ.get("PYTEST_CURRENT_TEST", "") + "\n")
        return before(address_of(folder, lend))

    return open_store


def named(config: ModuleType) -> Callable[..., Any]:
    """What finds the directory of the command line: for one that was opened, its address."""
    before = config._directory

    def directory(*arguments: Any) -> Any:
        found = before(*arguments)
        if found.value is None or config.is_address(found.value) or config.is_database(found.value):
            return found
        note = _note(Path(os.path.realpath(found.value)))
        return replace(found, value=note.read_text("utf-8")) if note.exists() else found

    return directory


def _note(folder: Path) -> Path:
    return Path(os.environ[NOTES], hashlib.sha256(os.fsencode(folder)).hexdigest()[:20])


def address_of(folder: Path, lend: Callable[[Path, str], str]) -> str:
    """The address that belongs to a directory, the same in all processes."""
    note = _note(folder)
    if not note.exists():
        fresh = note.with_suffix(f".{os.getpid()}")
        fresh.write_text(lend(folder, note.name), encoding="utf-8")
        # Whoever was first has said it for all.
        with suppress(FileExistsError):
            os.link(fresh, note)
        fresh.unlink()
    return note.read_text(encoding="utf-8")


def fresh_schema(_: Path, name: str) -> str:
    """An address that nobody else has."""
    return os.environ[SERVER].replace(SCHEMA, f"t_{name}")


class _Watching(MetaPathFinder):
    """Waits until those modules are imported that know where stores are."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        change = _CHANGES.pop(name, None)
        spec = find_spec(name) if change else None
        if change and spec and spec.loader:
            spec.loader = _Changing(spec.loader, change)
        return spec


class _Changing(Loader):
    def __init__(self, before: Loader, change: Callable[[ModuleType], None]) -> None:
        self._before = before
        self._change = change

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._before.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._before.exec_module(module)
        self._change(module)


def _change_opening(module: Any) -> None:
    module._open_store = moved(module, fresh_schema)


def _change_config(module: Any) -> None:
    module._directory = named(module)


_CHANGES = {"lamina.opening": _change_opening, "lamina.config": _change_config}

if __name__ == "sitecustomize" and SERVER in os.environ:
    sys.meta_path.insert(0, _Watching())
