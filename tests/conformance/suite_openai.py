"""The tests that the OpenAI Agents SDK has of sessions, run against ours.

What is left out looks into its class on SQLite. The rules behind it that are not about SQLite are
tried in `tests/adapters/test_openai_agents.py`.
"""

import sys
from pathlib import Path
from typing import Final

from tests.conformance.borrowed import Borrowed
from tests.conformance.result import Result

_FILE: Final = "tests/memory/test_session.py"
_CONNECTIONS: Final = "counts the connections that its class on SQLite has open"
_TABLES: Final = "opens its tables in SQLite, which are not there"
_COMMIT: Final = "puts a connection of SQLite of its own into the class"
_CANCELLED: Final = "test_sqlite_session_post_commit_cancellation_propagates_after_known_outcome"
_LEFT_OUT: Final = {
    "test_sqlite_session_close_closes_worker_thread_connections": _CONNECTIONS,
    "test_sqlite_session_reaps_connections_from_exited_worker_threads": _CONNECTIONS,
    "test_sqlite_session_closes_retired_connections_before_the_next_allocation": _CONNECTIONS,
    "test_sqlite_session_keeps_connections_of_live_worker_threads": _CONNECTIONS,
    "test_sqlite_session_closed_rejects_empty_add_items": "asks for an error that names its class;"
    " a session of ours is not closed, the memory is",
    "test_sqlite_session_file_lock_is_shared_across_instances": "looks at the locks of its class",
    "test_sqlite_session_failed_add_items_releases_write_lock": _TABLES,
    "test_sqlite_session_failed_clear_session_rolls_back": _TABLES,
    "test_sqlite_session_failed_pop_item_releases_write_lock": _TABLES,
    "test_sqlite_session_rollback_failure_evicts_connection": _COMMIT,
    "test_sqlite_session_close_retries_quarantined_connection": _COMMIT,
    f"{_CANCELLED}[add]": _COMMIT,
    f"{_CANCELLED}[pop]": _COMMIT,
    f"{_CANCELLED}[clear]": _COMMIT,
}

SUITE: Final = Borrowed(
    "OpenAI Agents session",
    "openai-agents==0.24.0",
    [
        _FILE,
        "tests/memory/test_session_limit.py",
        "tests/memory/test_session_context_wrapper.py",
        "tests/memory/test_session_persistence_sanitize.py",
    ],
    "shim_openai",
    {f"{_FILE}::{test}": why for test, why in _LEFT_OUT.items()},
)


def run(work: Path) -> list[Result]:
    """All but what is about SQLite."""
    return [SUITE.run(work)]


if __name__ == "__main__":
    from tests.conformance.run import main

    sys.exit(main(["openai"]))
