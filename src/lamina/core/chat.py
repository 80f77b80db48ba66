"""What Lamina needs of a model that chats, whoever it is and wherever it runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

MOST_CONFIDENT: Final = 0.5
"""However sure a model is: a guess that nobody has looked at is no more than that."""


class Message(TypedDict, total=False):
    """One message of a conversation, as chat models are sent it."""

    role: str
    """system, user, assistant or tool."""
    content: str
    tool_calls: list[dict[str, Any]]
    """What an assistant asked for: objects with `id`, `name` and `arguments`."""
    tool_call_id: str
    """Which of these calls a message of role `tool` answers."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """That a model wants a tool to run."""

    id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    wrong: str = ""
    """What cannot be read in its arguments; it is told to the model and nothing runs."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said, and what it cost."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0
    is_whole: bool = True
    """Whether the model had said all it wanted to."""


class Model(Protocol):
    """A model that chats."""

    name: str

    def chat(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        on_text: Callable[[str], None] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """Answer a conversation; pieces of the text go to `on_text` as they come.

        `tools` are objects with `name`, `description` and `parameters`, a JSON schema.

        Raises:
            ModelError: It refused or answered what cannot be read.
            ModelUnavailableError: It is down, busy or too slow, and may recover.
            BudgetError: As many tokens as were allowed are spent.
        """
