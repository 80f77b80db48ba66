"""Each database is reached through one library, in one folder.

Two SQLite libraries on one file in one process undo each other's locks: closing a descriptor that
one of them opened drops the locks the other holds, and a second writer gets in.
"""

from pathlib import Path

import pytest

from tests.meta.tree import SOURCE, TESTS, imported_modules, python_files, relative, top_level

OTHER_DRIVERS = {"_sqlite3", "aiosqlite", "pysqlite3", "sqlalchemy", "sqlean", "sqlite3"}
STORES = SOURCE / "stores"
FOLDERS = {"apsw": "sqlite", "psycopg": "postgres", "psycopg_pool": "postgres", "redis": "redis"}
"""The library that speaks to a database, and the store that uses it."""


def test_no_file_imports_another_sqlite() -> None:
    offenders = [
        f"{relative(path)} imports {module}"
        for path in python_files(SOURCE, TESTS)
        for module in imported_modules(path)
        if top_level(module) in OTHER_DRIVERS
    ]
    assert offenders == []


@pytest.mark.parametrize("driver", FOLDERS)
def test_only_its_own_store_imports_a_driver(driver: str) -> None:
    importers = _importers(driver)
    folder = STORES / FOLDERS[driver]
    assert [relative(path) for path in importers if folder not in path.parents] == []


def test_the_drivers_are_seen() -> None:
    there = {folder for folder in FOLDERS.values() if (STORES / folder).is_dir()}
    seen = {folder for driver, folder in FOLDERS.items() if _importers(driver)}
    assert seen == there, "is a store gone, or this test blind?"


def _importers(driver: str) -> set[Path]:
    return {
        path
        for path in python_files(SOURCE)
        for module in imported_modules(path)
        if top_level(module) == driver
    }
