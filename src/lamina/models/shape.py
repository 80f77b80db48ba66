"""The shape of a chat as OpenAI made it and many servers speak it: there and back. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lamina.core.chat import Reply, ToolCall
from lamina.core.text import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from lamina.core.chat import Message

_MOST_CALLS: Final = 64
"""In one answer; whoever wants more is not working, but going in circles."""
_LONGEST_NAME: Final = 200
_MOST_COUNTED: Final = 10_000_000
"""More tokens than any model reads or says at once: whoever tells more has not counted."""
_WHOLE: Final = ("stop", "tool_calls", "function_call", None)
_ROLE_TOKENS: Final = 4
"""What the frame of a message takes besides its text, about."""


class UnreadableError(Exception):
    """An answer is not of the shape that was agreed on."""


def question(
    name: str, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """What is sent."""
    asked: dict[str, Any] = {"model": name, "messages": [_message(one) for one in messages]}
    if tools:
        asked["tools"] = [{"type": "function", "function": dict(one)} for one in tools]
    return asked


def _message(message: Message) -> dict[str, Any]:
    shown: dict[str, Any] = {"role": message["role"], "content": message.get("content", "")}
    if "tool_calls" in message:
        shown["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])},
            }
            for call in message["tool_calls"]
        ]
    if "tool_call_id" in message:
        shown["tool_call_id"] = message["tool_call_id"]
    return shown


def size(messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] = ()) -> int:
    """About how many tokens a conversation takes, as long as the server does not say."""
    calls = (json.dumps(one["tool_calls"]) for one in messages if one.get("tool_calls"))
    texts = [*(one.get("content") or "" for one in messages), *calls]
    texts += [json.dumps(dict(one)) for one in tools]
    return sum(map(estimate_tokens, texts)) + _ROLE_TOKENS * (len(messages) + 1)


@dataclass(slots=True)
class _Call:
    """A call as it comes, its arguments in pieces."""

    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)

    @property
    def arguments(self) -> str:
        return "".join(self.pieces)


class Answer:
    """An answer as it comes, whole or in pieces; `hide` takes out of a complaint what is secret."""

    def __init__(self, hide: Callable[[str], str]) -> None:
        self._hide = hide
        self.has_begun = False
        self.is_ended = False
        """Whether the server has said that this was all."""
        self._texts: list[str] = []
        self._finish: str | None = None
        self._calls: dict[int, _Call] = {}
        self._used: dict[str, Any] = {}

    def take(self, told: Any, part: str) -> str:
        """Read an answer or a piece of one, and return the text in it; `part` is where that is."""
        if not isinstance(told, dict):
            raise UnreadableError
        if told.get("error"):
            raise UnreadableError(self._reason(told["error"]))
        used = told.get("usage")
        self._used = used if isinstance(used, dict) else self._used
        choices = told.get("choices")
        if not isinstance(choices, list):
            raise UnreadableError
        if not choices:
            # The last piece of a stream tells the usage and nothing else.
            return ""
        said = choices[0].get(part, {}) if isinstance(choices[0], dict) else 0
        if not isinstance(said, dict | None):
            raise UnreadableError
        self.has_begun = True
        self._finish = choices[0].get("finish_reason") or self._finish
        self.is_ended = self.is_ended or self._finish is not None
        return self._said(said or {})

    def _said(self, said: dict[str, Any]) -> str:
        text = said.get("content") or ""
        calls = said.get("tool_calls") or []
        if not isinstance(text, str) or not isinstance(calls, list):
            raise UnreadableError
        text = _fit_to_keep(text)
        for place, call in enumerate(calls):
            self._call(place, call)
        self._texts.append(text)
        return text

    def _call(self, place: int, call: Any) -> None:
        asked = call.get("function") if isinstance(call, dict) else None
        if not isinstance(asked, dict):
            raise UnreadableError
        number = call.get("index")
        number = place if type(number) is not int else number
        kept = self._calls.setdefault(number, _Call())
        if len(self._calls) > _MOST_CALLS:
            raise UnreadableError("it wants too many tools to run at once")
        kept.id = kept.id or _name(call.get("id"))
        # Some servers say the name with every piece.
        kept.name = kept.name or _name(asked.get("name"))
        arguments = asked.get("arguments") or ""
        kept.pieces.append(arguments if isinstance(arguments, str) else json.dumps(arguments))

    def _reason(self, error: object) -> str:
        told = " ".join(str(error.get("message") if isinstance(error, dict) else error).split())
        return self._hide(told)[:300]

    def reply(self, tokens_in: int) -> Reply:
        """What was said; `tokens_in` counts where the server does not."""
        calls = tuple(_tool_call(name, one) for name, one in _named(self._calls))
        heard = counted(self._used.get("prompt_tokens"), tokens_in)
        said = counted(self._used.get("completion_tokens"), self.tokens_out)
        return Reply("".join(self._texts), calls, heard, said, self._finish in _WHOLE)

    @property
    def tokens_out(self) -> int:
        """About how many tokens were said so far."""
        calls = (one.name + one.arguments for one in self._calls.values())
        return sum(map(estimate_tokens, ("".join(self._texts), *calls)))


def counted(told: object, estimate: int) -> int:
    """What somebody says was counted, if that can be; nothing at all is what nobody counted."""
    return told if type(told) is int and 0 < told <= _MOST_COUNTED else estimate


def _named(calls: Mapping[int, _Call]) -> Iterator[tuple[str, _Call]]:
    """Each call with an id that no other has: results are told apart by it."""
    seen: set[str] = set()
    for place, (_, one) in enumerate(sorted(calls.items())):
        name = f"call-{place}" if not one.id or one.id in seen else one.id
        seen.add(name)
        yield name, one


def _tool_call(name: str, one: _Call) -> ToolCall:
    if not one.name:
        return ToolCall(name, "", wrong="no tool is named")
    try:
        arguments = json.loads(one.arguments or "{}")
    except (ValueError, RecursionError):
        return ToolCall(name, one.name, wrong="the arguments are not JSON")
    if not isinstance(arguments, dict):
        return ToolCall(name, one.name, wrong="the arguments are not a JSON object")
    return ToolCall(name, one.name, arguments)


def _name(told: object) -> str:
    return _fit_to_keep(str(told or ""))[:_LONGEST_NAME]


def _fit_to_keep(text: str) -> str:
    """Without what no record can hold: NUL and halves of characters."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
