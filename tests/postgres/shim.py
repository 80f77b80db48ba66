"""A plugin for pytest: every store in a directory is in a Postgres instead.

So the tests of everything above the stores show whether anything can tell which one it is; used by
`make test-postgres`, never by itself. Those that are about a directory, or about what SQLite can
and Postgres need not, stand in `tests.postgres.apart`, each with its reason.
"""

from __future__ import annotations

import os
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING

import pytest

from lamina import config, opening
from lamina.stores.postgres import store
from tests.meta import children
from tests.postgres.apart import reason_for
from tests.postgres.inside import sitecustomize as inside
from tests.postgres.lending import lent_address
from tests.postgres.shared import server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_INSIDE = str(Path(inside.__file__).parent)
_KEYS, _APART = "keys", "apart"
_OTHER_STORES = ("ephemeral", "json")
_passed: set[str] = set()
_lent: dict[Path, ExitStack] = {}
"""By directory, what gives the store back."""
_before = children.environment


def _with_us(**changes: str) -> dict[str, str]:
    env = _before(**changes)
    env["PYTHONPATH"] = os.pathsep.join([_INSIDE, env.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return env


# Before the tests are imported, and with them what they call.
children.environment = _with_us


def pytest_configure(config: pytest.Config) -> None:
    """Have one folder of notes for all processes of the run."""
    if not hasattr(config, "workerinput"):
        os.environ[inside.NOTES] = mkdtemp(prefix="lamina-notes-")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave nothing."""
    if not hasattr(config, "workerinput"):
        rmtree(os.environ.pop(inside.NOTES), ignore_errors=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is on another store, and what stands apart."""
    here = [item for item in items if not _is_elsewhere(item)]
    apart = {item.nodeid: reason for item in here if (reason := reason_for(item.nodeid))}
    # Every process of the run collects the same.
    Path(os.environ[inside.NOTES], _APART).write_text("\n".join(apart.values()), "utf-8")
    stay = [item for item in here if item.nodeid not in apart]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(stay)])
    items[:] = stay


def _is_elsewhere(item: pytest.Item) -> bool:
    given = getattr(item, "callspec", None)
    return given is not None and any(one in _OTHER_STORES for one in given.params.values())


@pytest.fixture(scope="session", autouse=True)
def _stores_are_in_postgres() -> Iterator[None]:
    notes = Path(os.environ[inside.NOTES])
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(inside.SERVER, server().address(inside.SCHEMA))
        patched.setenv("PYTHONPATH", _with_us()["PYTHONPATH"])
        # The keys of stores in databases lie at home, where tests must leave nothing.
        patched.setenv(config.KEYS, str(notes / _KEYS))
        patched.setattr(opening, "_open_store", inside.moved(opening, _lend))
        patched.setattr(config, "_directory", inside.named(config))
        # What it cannot look into is told by each erase, and makes none of them complete; a test of
        # its own says so. Here it would hide whether all the rest of an erase is as it should be.
        patched.setattr(store, "_UNLOOKED", ())
        yield
        _give_back(lambda folder: True)


@pytest.fixture(autouse=True)
def _what_a_test_is_done_with_is_lent_again(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    mine = request.node.funcargs.get("tmp_path")
    _give_back(lambda folder: mine is not None and folder.is_relative_to(mine.resolve()))


def _lend(folder: Path, _: str) -> str:
    with ExitStack() as lent:
        address = lent.enter_context(lent_address())
        _lent[folder] = lent.pop_all()
    return address


def _give_back(is_done_with: Callable[[Path], bool]) -> None:
    for folder in [folder for folder in _lent if is_done_with(folder)]:
        _lent.pop(folder).close()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Take note of what passed."""
    if report.when == "call" and report.passed:
        _passed.add(report.nodeid)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell how many tests had a store in Postgres, and what was left out."""
    tests = {line.rpartition(" (")[0] for line in _noted(inside.OPENED)}
    terminalreporter.write_line(f"{len(tests & _passed):,} tests passed on Postgres as on SQLite")
    for reason, number in Counter(_noted(_APART)).items():
        terminalreporter.write_line(f"{number:,} left out: {reason}")


def _noted(name: str) -> list[str]:
    note = Path(os.environ[inside.NOTES], name)
    return note.read_text("utf-8").splitlines() if note.exists() else []
