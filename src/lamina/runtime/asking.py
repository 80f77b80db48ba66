"""Asking a model, whichever sort it is: its answer is checked before anything believes it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from lamina.core.canonical import check, keepable
from lamina.core.chat import Message, Model, Reply, ToolCall
from lamina.errors import InvalidInputError, ModelError

if TYPE_CHECKING:
    from lamina.runtime.limits import Limits

_Function: TypeAlias = Callable[[list[Message]], str | Reply]
AnyModel: TypeAlias = Model | _Function
"""A model, or any function that takes messages and answers with text or a reply."""
_LONGEST_NAME: Final = 200


def check_model(model: object) -> AnyModel:
    """Return what can be asked."""
    if not callable(getattr(model, "chat", None)) and not callable(model):
        raise InvalidInputError(
            f"`model` can be neither asked nor called: {model!r:.60}",
            remedy="Pass a lamina.models.Model, or a function that takes messages",
        )
    return cast("AnyModel", model)


def chatting(model: AnyModel) -> Model | None:
    """The model, where it is more than a function."""
    return cast("Model", model) if hasattr(model, "chat") else None


def ask(
    model: AnyModel,
    messages: Sequence[Message],
    tools: Sequence[Mapping[str, Any]],
    limits: Limits,
    on_text: Callable[[str], None] | None,
) -> Reply:
    """What the model answers.

    Raises:
        ModelError: It answered what cannot be used, or more than `limits` allow.
    """
    chats = chatting(model)
    if chats is not None:
        said: object = chats.chat(messages, tools=tools, on_text=on_text)
    else:
        said = cast("_Function", model)([*messages])
        text = said.text if isinstance(said, Reply) else said
        if on_text is not None and isinstance(text, str) and text:
            on_text(text)
    return _checked(Reply(text=said) if isinstance(said, str) else said, limits)


def _checked(said: object, limits: Limits) -> Reply:
    if not isinstance(said, Reply) or not isinstance(said.text, str):
        raise ModelError(
            f"the model answered with {type(said).__name__}, not with text",
            remedy="Let it return a str or a lamina.models.Reply",
        )
    if len(said.text) > limits.reply_chars:
        raise ModelError(
            f"the model answered with {len(said.text):,} characters;"
            f" at most {limits.reply_chars:,} are taken",
            remedy="Ask for less, or allow more with Limits(reply_chars=…)",
        )
    if not isinstance(said.tool_calls, Sequence):
        raise ModelError(
            f"the model asked for tools with {type(said.tool_calls).__name__}, not with a list"
        )
    calls = tuple(_call(one) for one in said.tool_calls)
    return Reply(keepable(said.text), calls, _tokens(said.tokens_in), _tokens(said.tokens_out))


def _call(said: object) -> ToolCall:
    """A call as the transcript can keep it; what is wrong with it is told to the model."""
    if not isinstance(said, ToolCall):
        raise ModelError(f"the model asked for a tool with {type(said).__name__}, not a ToolCall")
    name = keepable(str(said.name))[:_LONGEST_NAME] or "(no name)"
    try:
        arguments = check(dict(said.arguments), "arguments")
    except (InvalidInputError, TypeError, ValueError) as error:
        return ToolCall(said.id, name, {}, f"{said.wrong or f'they cannot be kept: {error}'}")
    return ToolCall(said.id, name, arguments, keepable(str(said.wrong)))


def _tokens(said: object) -> int:
    if not isinstance(said, int | float) or not math.isfinite(said):
        return 0
    return max(0, int(said))
