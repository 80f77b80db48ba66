"""Models behind the chat call that OpenAI made: hosted, Ollama, llama.cpp, vLLM and others."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lamina import web
from lamina.core.canonical import check_text
from lamina.core.instants import check_seconds
from lamina.errors import InvalidInputError, ModelError, ModelUnavailableError
from lamina.models.shape import Answer, UnreadableError, question, size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from lamina.core.chat import Message, Reply

SECONDS: Final = 120.0
_PATH: Final = "/chat/completions"


class HalfwayError(ModelUnavailableError):
    """It was asked and did not answer, or not to the end; it may count what it did all the same."""


_FAILING: Final = web.Failing(
    ModelError, ModelUnavailableError, HalfwayError,
    "the setting `model.timeout_seconds` says how long to wait",
    later="Nothing is lost; ask it again later",
)  # fmt: skip
_PATIENCE: Final = web.Patience(
    SECONDS, retries=3, connect_seconds=10.0, again=(408, 425, 429, 500, 502, 503, 504),
    # More than any model says at once; what is larger would only fill the memory.
    most=2 << 20, again_if_cut=True,
)  # fmt: skip
_STREAMED: Final = 10
"""How many times its patience an answer in pieces may take altogether."""
_KEY: Final = "Put a key that this service takes into the variable that `model.key_env` names"
_REMEDIES: Final = {
    401: _KEY,
    403: _KEY,
    404: "Does this service have the model `{name}`, and does its address end in /v1?",
}


class ChatModel:
    """A model behind an address, which ends in `/v1` for most servers.

    Nothing is kept between calls, and several threads may ask at once.
    """

    def __init__(
        self,
        url: str,
        name: str,
        *,
        key: str = "",
        seconds: float = SECONDS,
        patience: web.Patience | None = None,
    ) -> None:
        if not check_text(name, "name", limit=200).strip():
            raise InvalidInputError("`name` is empty", remedy="Name the model, as the server does")
        limit = check_seconds(seconds, "seconds", above_zero=True)
        self.name = name
        self._service = web.endpoint("the model", url, "url", _FAILING, key=key)
        asked = patience or replace(_PATIENCE, seconds=limit)
        self._patience = replace(asked, whole_seconds=asked.seconds * _STREAMED)

    def __repr__(self) -> str:
        return f"ChatModel({self._service.url!r}, {self.name!r})"

    @property
    def url(self) -> str:
        """Where it answers."""
        return self._service.url

    def chat(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        on_text: Callable[[str], None] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """Answer a conversation, in pieces if somebody listens."""
        asked = question(self.name, messages, tools)
        if max_tokens is not None:
            asked["max_tokens"] = max_tokens
        if on_text is not None:
            asked |= {"stream": True, "stream_options": {"include_usage": True}}
        tokens_in, answer = size(messages, tools), Answer(self._without_key)
        try:
            self._ask(asked, answer, on_text)
        except UnreadableError as error:
            raise ModelError(
                f"the model answered what cannot be read{f': {error}' if error.args else ''}",
                remedy="Is that address the right one, and does it speak OpenAI's chat call?",
                tokens=tokens_in + answer.tokens_out,
            ) from None
        except web.RefusedError as error:
            remedy = _REMEDIES.get(error.status, "").format(name=self.name)
            raise ModelError(error.message, remedy=remedy) from None
        except ModelError as error:
            if isinstance(error, HalfwayError) or not error.retryable:
                error.tokens = tokens_in + answer.tokens_out
            raise
        return answer.reply(tokens_in)

    def _without_key(self, text: str) -> str:
        return web.without_key(text, self._service.key)

    def _ask(
        self, asked: dict[str, Any], answer: Answer, on_text: Callable[[str], None] | None
    ) -> None:
        for _ in range(3):
            try:
                return self._ask_so(asked, answer, on_text)
            except web.RefusedError as error:
                if error.status not in (400, 422) or not _put_otherwise(asked, error.message):
                    raise
        return self._ask_so(asked, answer, on_text)

    def _ask_so(
        self, asked: dict[str, Any], answer: Answer, on_text: Callable[[str], None] | None
    ) -> None:
        if on_text is None:
            told = web.post(self._service, _PATH, asked, self._patience)
            answer.take(told, "message")
            if not answer.has_begun:
                raise UnreadableError
            return
        for told in self._pieces(asked, answer):
            text = answer.take(told, "delta")
            if text:
                on_text(text)
        if not answer.is_ended:
            raise HalfwayError(
                "the model stopped in the middle of its answer",
                remedy="Nothing is lost; ask it again later",
            )

    def _pieces(self, asked: dict[str, Any], answer: Answer) -> Iterator[Any]:
        """What the events of a stream hold, up to the one that ends it."""
        for line in web.lines(self._service, _PATH, asked, self._patience):
            if line.startswith("{") and not answer.has_begun:
                # It does not stream, or complains in its own way.
                yield _whole(line)
                return
            if not line.startswith("data:"):
                continue
            data = line.removeprefix("data:").strip()
            if data == "[DONE]":
                answer.is_ended = True
                return
            yield _read(data)


def _put_otherwise(asked: dict[str, Any], complaint: str) -> bool:
    """Ask in the words that a server knows, if it says that it lacks ours."""
    if "max_completion_tokens" in complaint and "max_tokens" in asked:
        asked["max_completion_tokens"] = asked.pop("max_tokens")
        return True
    return "stream_options" in complaint and asked.pop("stream_options", None) is not None


def _read(data: str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise UnreadableError from None


def _whole(line: str) -> Any:
    """An answer that came at once, as if it were one piece."""
    told = _read(line)
    for choice in told.get("choices", ()) if isinstance(told, dict) else ():
        if isinstance(choice, dict) and "message" in choice:
            choice["delta"] = choice.pop("message")
    return told
