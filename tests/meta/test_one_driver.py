"""SQLite is reached through one library, in one folder.

Two SQLite libraries on one file in one process undo each other's locks: closing a descriptor that
one of them opened drops the locks the other holds, and a second writer gets in.
"""

from tests.meta.tree import SOURCE, TESTS, imported_modules, python_files, relative, top_level

OTHER_DRIVERS = {"_sqlite3", "aiosqlite", "pysqlite3", "sqlalchemy", "sqlean", "sqlite3"}
DRIVER_FOLDER = SOURCE / "stores" / "sqlite"


def test_no_file_imports_another_sqlite() -> None:
    offenders = [
        f"{relative(path)} imports {module}"
        for path in python_files(SOURCE, TESTS)
        for module in imported_modules(path)
        if top_level(module) in OTHER_DRIVERS
    ]
    assert offenders == []


def test_only_the_sqlite_store_imports_the_driver() -> None:
    importers = {
        path
        for path in python_files(SOURCE)
        for module in imported_modules(path)
        if top_level(module) == "apsw"
    }
    assert importers, "nothing imports apsw: is the store gone, or this test blind?"
    assert [relative(path) for path in importers if DRIVER_FOLDER not in path.parents] == []
