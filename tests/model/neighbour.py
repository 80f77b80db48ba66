"""Another process for the model: it forks a child for every request, which commits or dies trying.

    python -m tests.model.neighbour

A request is a pickled (place, commit, fate) on standard input, the answer a pickled receipt or
error type on standard output, or nothing of the kind when the child was to die.
"""

import contextlib
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lamina.config import is_database
from lamina.core.changes import Commit, Receipt
from lamina.errors import LaminaError
from lamina.stores.base import Store
from lamina.stores.sql import commits
from lamina.stores.sqlite.store import SqliteStore

Answer = Receipt | type[LaminaError] | None
LIVES, DIES_BEFORE, DIES_AFTER = "lives", "dies before the commit", "dies after the commit"


class Neighbour:
    """The other process, started when it is first needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, where: str, commit: Commit, fate: str) -> Answer:
        """Have a child commit in the store of a directory or address, and meet its fate."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        pickle.dump((where, commit, fate), self._process.stdin)
        self._process.stdin.flush()
        answer: Answer = pickle.load(self._process.stdout)
        return answer


def _serve() -> None:
    while True:
        try:
            where, commit, fate = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        opening = _opening(where)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            with open(write, "wb") as pipe:
                pickle.dump(_committed(opening, commit, fate), pipe)
            os._exit(0)
        os.close(write)
        with open(read, "rb") as pipe:
            said = pipe.read()
        os.waitpid(child, 0)
        sys.stdout.buffer.write(said or pickle.dumps(None))
        sys.stdout.buffer.flush()


def _opening(where: str) -> Callable[[], Store]:
    """What opens the store; imported here, or every child would have to do it again."""
    if is_database(where):
        from lamina.stores.postgres.store import PostgresStore

        return lambda: PostgresStore(where)
    return lambda: SqliteStore(Path(where))


def _committed(opening: Callable[[], Store], commit: Commit, fate: str) -> Answer:
    if fate == DIES_BEFORE:
        _die_with_the_work_done()
    answer: Answer
    with contextlib.closing(opening()) as store:
        try:
            answer = store.commit(commit)
        except LaminaError as error:
            answer = type(error)
        if fate != LIVES:
            _die()
    return answer


def _die_with_the_work_done() -> None:
    """Arrange for death between the last statement of a commit and the commit itself."""
    run = commits.run

    def half(*arguments: Any) -> Receipt:
        receipt = run(*arguments)
        _die()
        return receipt

    commits.run = half  # type: ignore[assignment]  # in a process that is about to die


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    _serve()
