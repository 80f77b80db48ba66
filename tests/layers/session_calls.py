"""Every method of a session with arguments that are right."""

from typing import Any

from lamina import Record


def session_reads(word: str, message: Record) -> dict[str, dict[str, Any]]:
    """What leaves everything as it is."""
    return {
        "session.__call__": {"name": "s-1", "continues": None},
        "session.names": {},
        "session().read": {"last": 10},
        "session().view": {"keep_tool_results": 1},
        "session().pressure": {},
        "session().plan_compaction": {"force": True, "summarise": None},
        "session().search": {"query": word, "how": {"k": 50}, "thread": True},
        "session().thread": {},
        "session().cited": {"message": message},
    }  # fmt: skip


def session_writes(word: str) -> dict[str, dict[str, Any]]:
    """What changes something."""
    return {
        "session().append": {"role": "user", "text": word, "id": "m-1", "data": {"more": word}},
        "session().extend": {"messages": [{"role": "assistant", "text": word, "id": "m-2"}]},
        "session().flush": {"save": None},
        "session().compact": {"force": True, "summarise": None},
    }  # fmt: skip
