"""A model that says what it was told to say: for tests and demonstrations."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from lamina.core.chat import Message, Reply, ToolCall
from lamina.errors import InvalidInputError, ModelError, ModelUnavailableError

Line: TypeAlias = str | Reply | ToolCall | Exception | Callable[[Sequence[Message]], "Line"]
"""What it says at its turn: a text, a call, both, an error, or what a function makes of it all."""


def lines_of(script: str) -> list[Line]:
    """The lines of a script: one JSON value each.

    A text is said as it is. An object has `text`, `calls` (objects with `name` and `arguments`), or
    `error`, which says that the model is down.
    """
    return [
        _line(number, text) for number, text in enumerate(script.splitlines(), 1) if text.strip()
    ]


class ScriptedModel:
    """Plays its lines in order; what it was asked is kept in `asked`."""

    def __init__(self, lines: Iterable[Line], *, name: str = "scripted") -> None:
        self.name = name
        self.asked: list[list[Message]] = []
        self.offered: list[list[str]] = []
        """The names of the tools, for each time it was asked."""
        self._lines = iter(lines)

    def chat(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        on_text: Callable[[str], None] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """The next line; a script that has ended is an error."""
        self.asked.append([*messages])
        self.offered.append([str(tool["name"]) for tool in tools])
        line = next(self._lines, None)
        if line is None:
            raise ModelError("the script has ended", remedy="Give it more lines")
        reply = _spoken(line, messages)
        if on_text is not None and reply.text:
            on_text(reply.text)
        return reply


def _spoken(line: Line, messages: Sequence[Message]) -> Reply:
    if isinstance(line, Exception):
        raise line
    if isinstance(line, str):
        return Reply(text=line)
    if isinstance(line, ToolCall):
        return Reply(tool_calls=(line,))
    return line if isinstance(line, Reply) else _spoken(line(messages), messages)


def _line(number: int, text: str) -> Line:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        raise _no_line(number) from None
    if isinstance(said, str):
        return said
    if not isinstance(said, dict) or not said.keys() <= {"text", "calls", "error"}:
        raise _no_line(number)
    if "error" in said:
        return ModelUnavailableError(str(said["error"]))
    calls = said.get("calls", [])
    if not isinstance(calls, list) or not isinstance(said.get("text", ""), str):
        raise _no_line(number)
    return Reply(said.get("text", ""), tuple(_call(number, call) for call in calls))


def _call(number: int, said: object) -> ToolCall:
    if not isinstance(said, dict) or not isinstance(said.get("name"), str):
        raise _no_line(number)
    arguments = said.get("arguments", {})
    if not isinstance(arguments, dict):
        raise _no_line(number)
    return ToolCall(str(said.get("id", "")), said["name"], arguments)


def _no_line(number: int) -> InvalidInputError:
    return InvalidInputError(
        f"`script`: line {number} is not something a model can say",
        remedy='Write "a text", or {"text": "…", "calls": [{"name": "…", "arguments": {}}]}',
    )
