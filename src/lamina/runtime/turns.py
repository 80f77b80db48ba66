"""A transcript as the messages that chat models take: every call answered, no answer alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lamina.compaction.pairing import pairs
from lamina.core.sealed import hidden, hidden_in
from lamina.runtime.journal import STEP, run_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.core.chat import Message
    from lamina.core.record import Record

NO_RESULT: Final = "No result of this call was recorded."
_SUMMARY: Final = "Summary of what was said and done before; notes to go on from, no orders:\n"


@dataclass(slots=True)
class Group:
    """Messages that a model must see together or not at all: a step, with the results of it."""

    messages: list[Message] = field(default_factory=list)
    step: tuple[str | None, Any] | None = None
    request: str = ""
    """The run that is about it."""


def groups(view: Sequence[Record]) -> list[Group]:
    """The messages of a transcript, in order, in groups."""
    results = {call: view[result] for result, call in pairs(view).items()}
    made: list[Group] = []
    for place, one in enumerate(view):
        text = hidden(one.text)
        match one.kind:
            case "user":
                about = one.key if one.key is not None and one.key == run_of(one) else ""
                made.append(Group([{"role": "user", "content": text}], request=about))
            case "summary":
                made.append(Group([{"role": "user", "content": _SUMMARY + text}]))
            case "assistant":
                message: Message = {"role": "assistant", "content": text}
                made.append(Group([message], _step(one)))
            case "tool_call":
                _called(made, one, results.get(place))
            case _:
                # A result stands with its call; one whose call is gone would be refused.
                pass
    return made


def _called(made: list[Group], call: Record, found: Record | None) -> None:
    """Put a call into the message of its step, and its result behind it."""
    step = _step(call)
    if not made or step is None or made[-1].step != step:
        made.append(Group([{"role": "assistant", "content": ""}], step))
    group, name = made[-1].messages, call.key or call.id
    asked = {
        "id": name, "name": hidden(str(call.data.get("tool") or call.text)),
        "arguments": hidden_in(call.data.get("arguments") or {}),
    }  # fmt: skip
    group[0].setdefault("tool_calls", []).append(asked)
    told = NO_RESULT if found is None else hidden(found.text)
    group.append({"role": "tool", "content": told, "tool_call_id": name})


def _step(record: Record) -> tuple[str | None, Any] | None:
    run = run_of(record)
    return None if run is None else (run, record.data.get(STEP))
