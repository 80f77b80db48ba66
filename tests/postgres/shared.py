"""One server for a whole run of the tests, however many processes run them.

The first who needs it has a keeper started, a process of its own; see `tests.postgres.keeper`.
"""

import fcntl
import json
import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from shutil import rmtree
from typing import TypeVar

from tests.meta.tree import ROOT
from tests.postgres.keeper import door
from tests.postgres.server import NEWEST, NoServerError, Place, Server

T = TypeVar("T")
_KEEP = "import sys; from tests.postgres.keeper import keep; keep(*sys.argv[1:])"
_HELD: list[object] = []
"""What is kept until this process ends."""


def fresh_address(*, tcp: bool = False) -> str:
    """The address of a store that does not exist yet, on the server of this run."""
    return server().address(f"t_{secrets.token_hex(6)}", tcp=tcp)


def server() -> Place:
    """Where the server of this run answers; the test is skipped where there can be none."""
    return _or_skip(_server)


def own_server() -> Server:
    """One that syncs what it writes and can be killed, skipped where there can be none."""
    return _or_skip(Server)


def _or_skip(made: Callable[[], T]) -> T:
    try:
        return made()
    except NoServerError as error:
        import pytest

        pytest.skip(f"no Postgres to test with: {error}")


@cache
def _server() -> Place:
    # The same for all processes of one run.
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or str(os.getpid())
    folder = Path(tempfile.gettempdir(), f"lamina-tests-{os.geteuid()}-{run}")
    with door(folder):
        users = (folder / "users").open("a")
        fcntl.flock(users, fcntl.LOCK_SH)
        _HELD.append(users)
        state = folder / "state.json"
        if not state.exists():
            try:
                _start_keeper(folder)
            except NoServerError:
                rmtree(folder)
                raise
        return Place(**json.loads(state.read_text("utf-8")))


def _start_keeper(folder: Path) -> None:
    version = os.environ.get("LAMINA_TEST_POSTGRES", str(NEWEST))
    keeper = subprocess.Popen(
        [sys.executable, "-c", _KEEP, str(folder), version],
        cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    _HELD.append(keeper)
    assert keeper.stdout is not None
    with keeper.stdout as said:
        answer = said.read()
    if answer != "ready":
        raise NoServerError(answer or "its keeper ended")
