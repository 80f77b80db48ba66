"""A transcript as the messages that chat models take: every call answered, no answer alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lamina.runtime.journal import STEP, run_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.core.chat import Message
    from lamina.core.record import Record

NO_RESULT: Final = "No result of this call was recorded."
_SUMMARY: Final = "Summary of what was said before:\n"


@dataclass(slots=True)
class Group:
    """Messages that a model must see together or not at all: a step, with the results of it."""

    messages: list[Message] = field(default_factory=list)
    step: tuple[str | None, Any] | None = None
    is_request: bool = False
    """Whether it is what a run is about."""


def groups(view: Sequence[Record]) -> list[Group]:
    """The messages of a transcript, in order, in groups."""
    results = {one.key or one.id: one for one in view if one.kind == "tool_result"}
    made: list[Group] = []
    for one in view:
        match one.kind:
            case "user":
                is_request = one.key is not None and one.key == run_of(one)
                said: Message = {"role": "user", "content": one.text}
                made.append(Group([said], is_request=is_request))
            case "summary":
                made.append(Group([{"role": "user", "content": _SUMMARY + one.text}]))
            case "assistant":
                message: Message = {"role": "assistant", "content": one.text}
                made.append(Group([message], _step(one)))
            case "tool_call":
                _called(made, one, results)
            case _:
                # A result stands with its call; one whose call is gone would be refused.
                pass
    return made


def _called(made: list[Group], call: Record, results: dict[str, Record]) -> None:
    """Put a call into the message of its step, and its result behind it."""
    step = _step(call)
    if not made or step is None or made[-1].step != step:
        made.append(Group([{"role": "assistant", "content": ""}], step))
    group, name = made[-1].messages, call.key or call.id
    asked = {
        "id": name, "name": str(call.data.get("tool") or call.text),
        "arguments": call.data.get("arguments") or {},
    }  # fmt: skip
    group[0].setdefault("tool_calls", []).append(asked)
    found = results.get(name)
    told = NO_RESULT if found is None else found.text
    group.append({"role": "tool", "content": told, "tool_call_id": name})


def _step(record: Record) -> tuple[str | None, Any] | None:
    run = run_of(record)
    return None if run is None else (run, record.data.get(STEP))
