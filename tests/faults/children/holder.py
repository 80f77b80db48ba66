"""Take the write lock and stop in the middle of it.

`python -m tests.faults.children.holder FOLDER` waits for a line on standard input; once it holds
the lock it says so and stops itself. If it is continued, it commits.
"""

import os
import signal
import sys
from typing import TYPE_CHECKING, cast

import lamina
from lamina.stores.sqlite.driver import Connection
from tests.faults.children.work import say

if TYPE_CHECKING:
    from lamina.stores.sqlite.store import SqliteStore


def main() -> None:
    """Hold the lock as long as whoever watches wants."""
    with lamina.open(sys.argv[1]) as mem:
        say({"ready": True})
        sys.stdin.readline()
        # Nothing of a caller's runs under the write lock, so there is no public way to stop there.
        cast("SqliteStore", mem.store)._connections.write(_stop)
    say({"done": True})


def _stop(connection: Connection) -> None:
    connection.execute("insert or replace into setting values ('held', 'yes')")
    say({"holding": True})
    os.kill(os.getpid(), signal.SIGSTOP)


if __name__ == "__main__":
    main()
