"""How far a run has come, read from its transcript alone: nothing else survives a crash."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina.compaction.unfinished import FINAL, RUN
from lamina.core.chat import ToolCall
from lamina.core.sealed import REFERENCE
from lamina.layers.face import in_order
from lamina.layers.threads import KEPT
from lamina.runtime.journal import STEP, run_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.core.record import Record
    from lamina.layers.sessions import Session
    from lamina.memory import AgentMemory

_LOOKED_AT: Final = 200
"""How many messages a run is looked for among; a conversation of people may stand in between."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A call of which no result was recorded."""

    id: str
    call: ToolCall
    may_have_begun: bool
    """Calls run one after the other, so only the first without a result can have begun."""
    is_sealed: bool = False
    """Whether its arguments were secrets, which the transcript does not tell."""


@dataclass(frozen=True, slots=True)
class Progress:
    """One run as far as it has come."""

    run: str
    asked: str
    """What the user wanted."""
    steps: int
    """The number of the last step."""
    pending: tuple[Pending, ...]
    is_over: bool
    times_resumed: int = 0


def of_last_run(memory: AgentMemory, session: Session) -> Progress | None:
    """The last run of a session, whether it came to an end or not."""
    # What was archived meanwhile has happened all the same.
    recent = session.read(last=_LOOKED_AT, archived=True)
    run = next((found for one in reversed(recent) if (found := run_of(one))), None)
    if run is None:
        return None
    where = {**KEPT, "scope": session.scope, f"data.{RUN}": run}
    return of_messages(run, list(in_order(memory, where)))


def of_messages(run: str, messages: Sequence[Record]) -> Progress:
    """What the messages of a run tell."""
    users = [one for one in messages if one.kind == "user"]
    ends = [one for one in messages if one.kind == "assistant" and one.data.get(FINAL) is True]
    done = {one.key for one in messages if one.kind == "tool_result"}
    open_calls = [one for one in messages if one.kind == "tool_call" and one.key not in done]
    pending = [_pending(one, is_first=number == 0) for number, one in enumerate(open_calls)]
    return Progress(
        run, users[0].text if users else "", max(map(_step, messages), default=0),
        tuple(pending), bool(ends), max(0, len(users) - 1),
    )  # fmt: skip


def _pending(record: Record, *, is_first: bool) -> Pending:
    arguments = record.data.get("arguments")
    wrong = record.data.get("wrong")
    call = ToolCall(
        str(record.key), str(record.data.get("tool", "")),
        arguments if isinstance(arguments, dict) else {}, wrong if isinstance(wrong, str) else "",
    )  # fmt: skip
    return Pending(call.id, call, is_first, REFERENCE.search(str(arguments)) is not None)


def _step(record: Record) -> int:
    said: Any = record.data.get(STEP)
    return said if type(said) is int else 0
