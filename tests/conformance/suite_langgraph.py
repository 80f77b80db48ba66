"""LangGraph's own tests: its conformance kit for checkpointers, and those of its SQLite package.

The kit is a package. The tests of the SQLite store and checkpointer come in the source distribution
of that package, and `shim_langgraph` puts Lamina where they import it.
"""

import asyncio
import os
import subprocess
import sys
import tarfile
from collections.abc import AsyncIterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import lamina
from lamina.adapters.langgraph import LaminaCheckpointer
from tests.conformance.result import Result

_PACKAGE: Final = "langgraph-checkpoint-sqlite==3.1.2"
# Their folder of tests is called like ours, so ours is found by the path of the plugin alone.
_PYTEST: Final = (
    "import pytest, sys; sys.path.insert(0, sys.argv[1]); sys.exit(pytest.main(sys.argv[2:]))"
)
_STORE: Final = ("tests/test_store.py", "tests/test_async_store.py", "tests/test_ttl.py")
_SAVER: Final = ("tests/test_sqlite.py", "tests/test_aiosqlite.py")
_SQL: Final = "tests how its SQL is written"
_OF_STORE: Final = {
    "tests/test_store.py::test_vector_store_initialization": "ends by looking for its tables"
    " through `store.conn`; the same of the asynchronous store does not, and is run",
    "tests/test_store.py::test_nonnull_migrations": "reads the SQL of its migrations",
    "tests/test_store.py::test_escape_glob_literal": _SQL,
    "tests/test_store.py::test_namespace_match_pattern": _SQL,
    "tests/test_store.py::test_list_namespaces_prefix_uses_indexable_condition": _SQL,
}
_IN_SAVER: Final = "tests/test_sqlite.py::TestSqliteSaver"
_OF_SAVER: Final = {
    f"{_IN_SAVER}::test_search_where": _SQL,
    f"{_IN_SAVER}::test_metadata_predicate": _SQL,
    f"{_IN_SAVER}::test_metadata_predicate_sql_injection_prevention": _SQL,
    f"{_IN_SAVER}::test_informative_async_errors": "wants `aget` to be refused, because there it"
    " is another class that can be awaited; ours is one",
}


def run(work: Path) -> list[Result]:
    """All of them, the kit on every store that Lamina has."""
    places = {"in memory": ":memory:", "SQLite": str(work / "store"), "JSON": f"json:{work}/m.json"}
    savers = [asyncio.run(_checkpointer(name, place)) for name, place in places.items()]
    root = _unpacked(work)
    return [
        *savers,
        _theirs("LangGraph checkpointer, its SQLite tests", root, _SAVER, _OF_SAVER),
        _theirs("LangGraph store, its SQLite tests", root, _STORE, _OF_STORE),
    ]


async def _checkpointer(name: str, place: str) -> Result:
    kit = import_module("langgraph.checkpoint.conformance")

    async def saver() -> AsyncIterator[LaminaCheckpointer]:
        with lamina.open(place) as memory:
            yield LaminaCheckpointer(memory)

    report = await kit.validate(kit.checkpointer_test(name=f"Lamina {name}")(saver))
    told = report.results.values()
    missing = tuple(
        (capability, "not run by the kit") for capability, one in report.results.items()
        if one.passed is None
    )  # fmt: skip
    return Result(
        f"LangGraph checkpointer kit, {name}",
        passed=sum(one.tests_passed for one in told),
        total=sum(one.tests_passed + one.tests_failed for one in told),
        left_out=missing,
        failed=tuple(failure for one in told for failure in one.failures or ()),
    )


def _theirs(suite: str, root: Path, files: Sequence[str], left_out: Mapping[str, str]) -> Result:
    name = Path(files[0]).stem
    log, outcomes = root.parent / f"{name}.log", root.parent / f"{name}.xml"
    command = [
        sys.executable, "-c", _PYTEST, str(Path(__file__).parent), "-c", os.devnull,
        f"--rootdir={root}", f"--junitxml={outcomes}", "-q", "--tb=short", "-W", "ignore",
        "-p", "shim_langgraph", "-p", "no:cacheprovider", "--asyncio-mode=auto",
        *(f"--deselect={one}" for one in left_out), *files,
    ]  # fmt: skip
    with log.open("w", encoding="utf-8") as told:
        subprocess.run(command, cwd=root, stdout=told, stderr=subprocess.STDOUT, check=False)
    # Written by the run above, a moment ago.
    cases = list(ElementTree.parse(outcomes).iter("testcase"))
    failed = tuple(f"{one.get('classname')}::{one.get('name')}" for one in cases if len(one))
    return Result(
        suite, len(cases) - len(failed), len(cases),
        left_out=tuple(left_out.items()), failed=failed, log=log,
    )  # fmt: skip


def _unpacked(work: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
    subprocess.run([*pip, _PACKAGE, "--dest", str(work)], check=True)
    (archive,) = work.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(work, filter="data")
    (root,) = (path for path in work.glob("langgraph*") if path.is_dir())
    return root


if __name__ == "__main__":
    from tests.conformance.run import main

    sys.exit(main(["langgraph"]))
