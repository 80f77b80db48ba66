"""A model that says what it was told to say: for tests and demonstrations."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from lamina.models.base import Message, Reply, ToolCall

Line: TypeAlias = str | Reply | ToolCall | Exception | Callable[[Sequence[Message]], "Line"]
"""What it says at its turn: a text, a call, both, an error, or what a function makes of it all."""


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
        """The next line; a script that has ended is an error of the test."""
        self.asked.append([*messages])
        self.offered.append([str(tool["name"]) for tool in tools])
        reply = _spoken(next(self._lines), messages)
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
