"""The process that runs the server of the tests for as long as anybody uses it.

Everybody who uses it holds a lock, which goes with the process that held it, however that ended.
When the keeper gets the lock nobody is left: it stops the server and removes the folder.
"""

import fcntl
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tests.postgres.server import HASTY, NoServerError, Server


@contextmanager
def door(folder: Path) -> Iterator[None]:
    """Only one process at a time comes in or clears up."""
    while True:
        folder.mkdir(mode=0o700, exist_ok=True)
        with (folder / "door").open("a") as door:
            fcntl.flock(door, fcntl.LOCK_EX)
            # Whoever cleared up meanwhile has taken the door along.
            if _is_at(door, folder / "door"):
                yield
                return


def _is_at(file: IO[str], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except OSError:
        return False


def keep(named: str, version: str) -> None:
    """Run the server of a run, whose folder is named, until nobody uses it."""
    folder = Path(named)
    try:
        server = Server(HASTY, int(version))
    except NoServerError as error:
        sys.stdout.write(str(error))
        return
    with server:
        state = {"folder": server.place.folder, "port": server.place.port}
        (folder / "state.json").write_text(json.dumps(state), "utf-8")
        sys.stdout.write("ready")
        sys.stdout.close()
        os.close(1)
        _wait_and_clear(folder)


def _wait_and_clear(folder: Path) -> None:
    while True:
        with (folder / "users").open("a") as users:
            fcntl.flock(users, fcntl.LOCK_EX)
        with door(folder), (folder / "users").open("a") as users:
            try:
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                # Somebody came in between the two locks.
                continue
            for name in ("state.json", "users", "door"):
                (folder / name).unlink()
            folder.rmdir()
            return
