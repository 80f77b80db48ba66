"""What the tests of the loop share: an agent without vectors, and tools that leave traces."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import lamina
from lamina.core.chat import ToolCall
from lamina.core.record import Record
from lamina.memory import AgentMemory
from tests.places import where


@contextmanager
def finn(kind: str = "ephemeral", folder: Path = Path()) -> Iterator[AgentMemory]:
    """The memory of an agent, in an empty store."""
    with lamina.open(where(kind, folder)) as mem:
        mem.configure("recall.embedder", "off")
        yield mem.agent("finn", project="web")


def said(memory: AgentMemory, session: str = "main") -> list[tuple[str, str]]:
    """A transcript as roles and texts."""
    return [(one.kind, one.text) for one in memory.session(session).read()]


def logged(memory: AgentMemory) -> list[tuple[str, str]]:
    """The log as kinds and first lines, oldest first."""
    return [(one.kind, one.text.splitlines()[0]) for one in memory.log.tail(1000)]


def calls(name: str, **arguments: object) -> ToolCall:
    """That a model wants a tool to run."""
    return ToolCall("whatever", name, arguments)


def interrupted(memory: AgentMemory, *asked: ToolCall, done: int = 0) -> list[Record]:
    """A session as a run leaves it that was killed after so many of the calls of its first step."""
    run = {"run": "r-1"}
    messages: list[dict[str, Any]] = [
        {"role": "user", "text": "Send both letters", "id": "r-1", **run}
    ]
    for number, call in enumerate(asked, 1):
        name = {"id": f"r-1-1-{number}", "tool": call.name, **run}
        arguments = dict(call.arguments)
        messages.append(
            {"role": "tool_call", "text": call.name, "step": 1, "arguments": arguments, **name}
        )
        if number <= done:
            messages.append({"role": "tool_result", "text": "done", **name})
    memory.session("main").extend(messages)
    return memory.session("main").read()
