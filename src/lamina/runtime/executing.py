"""EXECUTE: the model is asked and its calls are made, until it answers or a bound is reached.

A call is recorded before it is made and its result before the next: whatever happens in between,
the transcript tells what was done.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from lamina.core.canonical import dumps
from lamina.core.text.cut import head_of, tail_of
from lamina.errors import BudgetError, ModelError
from lamina.runtime.asking import ask, chatting
from lamina.runtime.intake import NOT_BEGUN, UNKNOWN
from lamina.runtime.journal import STEP, Entry, one_line, step_id
from lamina.runtime.learning import in_log
from lamina.runtime.tools import toolbox
from lamina.sealing import without_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.core.chat import Message, Reply, ToolCall
    from lamina.runtime.asking import AnyModel
    from lamina.runtime.intake import Taken
    from lamina.runtime.limits import Limits
    from lamina.runtime.progress import Pending
    from lamina.runtime.seeing import Seen, Sight
    from lamina.runtime.tools import Outcome, Toolbox

_EMPTY: Final[Message] = {
    "role": "user",
    "content": "Your last answer was empty. Answer in words, or call a tool.",
}
_SAME: Final = (
    "This call was not made: you made the very same one {} times in a row, and its result stands"
    " above. Do something else, or answer."
)
_FAILED_BEFORE: Final = "\n(The same call has failed {} before. Try another way.)"
_TOO_MANY: Final = "\n({} more calls were not made: {} at once are allowed.)"
_LONGEST_TRACE: Final = 4_000
_LONGEST_RESULT: Final = 200_000


@dataclass(frozen=True, slots=True)
class Did:
    """A call that a run made, or did not make again."""

    id: str
    tool: str
    arguments: dict[str, Any]
    text: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One time that the model was asked, and what came of it."""

    id: str
    text: str
    calls: tuple[Did, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said in the end."""

    text: str
    step: int
    seen: Seen


class Execution:
    """The middle of one run."""

    def __init__(self, model: AnyModel, sight: Sight, limits: Limits, taken: Taken) -> None:
        self._model = model
        self._tools = toolbox(())
        self._sight = sight
        self._limits = limits
        self._journal = taken.journal
        self._pending = taken.pending
        self.step = taken.step
        """The number of the last step that is recorded."""
        self.steps: list[Step] = []
        self.tokens_in = 0
        self.tokens_out = 0
        self._last_call = ""
        self._in_a_row = 0
        self._more = 0

    def go(self, tools: Toolbox, extra: str, on_text: Callable[[str], None] | None) -> Answer:
        """Work until the model answers.

        Raises:
            ModelError: It does not come to an end, or answers what cannot be used.
        """
        self._tools = tools
        # A plain function is shown messages alone: no room is kept for what it never sees.
        offered = tools.offered if chatting(self._model) else []
        self._settle()
        for _ in range(self._limits.steps):
            self._journal.lease.check()
            seen = self._sight.look(offered, extra)
            reply = self._asked(seen, on_text)
            if not reply.tool_calls:
                return Answer(reply.text, self.step + 1, seen)
            if on_text is not None and reply.text:
                on_text("\n")
            self._act(reply)
        raise ModelError(
            f"the model has not answered after {self._limits.steps} steps",
            remedy="Say `continue` to let it go on, or allow more with Limits(steps=…)",
        )

    def _asked(self, seen: Seen, on_text: Callable[[str], None] | None) -> Reply:
        """An answer that says something: an empty one is asked for once more."""
        for more in ((), (_EMPTY,)):
            spent = self.tokens_in + self.tokens_out
            if spent >= self._limits.tokens:
                raise BudgetError(
                    f"this run has spent {spent:,} tokens, and {self._limits.tokens:,} are allowed",
                    remedy="Say `continue` to spend as many again, or raise Limits(tokens=…)",
                )
            messages = [*seen.messages, *more]
            reply = ask(self._model, messages, self._tools.offered, self._limits, on_text)
            self.tokens_in += reply.tokens_in
            self.tokens_out += reply.tokens_out
            if reply.text.strip() or reply.tool_calls:
                return reply
        raise ModelError(
            "the model answered with nothing, twice",
            remedy="Look whether it is the right model, then say `continue`",
        )

    # -- calls

    def _settle(self) -> None:
        """What was left open by a run that broke off: done, or told to be unknown."""
        did = tuple(map(self._settled, self._pending))
        if did:
            self.steps.append(Step(step_id(self._journal.run, self.step), "", did))

    def _settled(self, pending: Pending) -> Did:
        is_unsafe = pending.may_have_begun and not self._tools.safe_to_repeat(pending.call.name)
        if not is_unsafe and not pending.is_sealed:
            return self._make(pending.id, pending.call)
        told = UNKNOWN if pending.may_have_begun else NOT_BEGUN
        return self._note(pending.id, pending.call, told, is_error=True)

    def _act(self, reply: Reply) -> None:
        """Record what the model wants, then do it, call by call."""
        number = self.step + 1
        run = self._journal.run
        calls = [
            (step_id(run, number, place), call)
            for place, call in enumerate(reply.tool_calls[: self._limits.calls], 1)
        ]
        said = [
            Entry("tool_call", one_line(_shown(call), 2_000), name, _asked_for(call, number))
            for name, call in calls
        ]
        if reply.text.strip():
            said.insert(0, Entry("assistant", reply.text, step_id(run, number), {STEP: number}))
        self._journal.write(said)
        self.step = number
        self._more = len(reply.tool_calls) - len(calls)
        did = tuple(self._make(name, call) for name, call in calls)
        self.steps.append(Step(step_id(run, number), reply.text, did))

    def _make(self, name: str, call: ToolCall) -> Did:
        self._count(call)
        if self._in_a_row > self._limits.same_call:
            if self._in_a_row > 2 * self._limits.same_call:
                self._note(name, call, _SAME.format(self._limits.same_call), is_error=True)
                raise ModelError(
                    f"the model makes the same call of `{call.name}` over and over",
                    remedy="Say what it should do instead",
                )
            return self._note(name, call, _SAME.format(self._limits.same_call), is_error=True)
        outcome = self._tools.call(replace(call, id=name))
        text = head_of(outcome.text, _LONGEST_RESULT)
        if outcome.is_error and (times := self._failed_before(call)):
            text += _FAILED_BEFORE.format("once" if times == 1 else f"{times} times")
        if self._more > 0:
            text += _TOO_MANY.format(self._more, self._limits.calls)
            self._more = 0
        return self._note(name, call, text, is_error=outcome.is_error, outcome=outcome)

    def _note(
        self,
        name: str,
        call: ToolCall,
        text: str,
        *,
        is_error: bool,
        outcome: Outcome | None = None,
    ) -> Did:
        """Record the result of a call, and what the log says of it, in one commit."""
        # Under another name, or none, nobody would recognise again what the call was given.
        text = without_values(text, call.arguments)
        data = {"tool": call.name, "is_error": is_error}
        said = Entry("tool_result", text, name, data, is_foreign=True)
        seconds = {"seconds": round(outcome.seconds, 3)} if outcome else {}
        ended = "failed" if is_error else "gave"
        told = in_log(self._journal.memory, text)
        line = f"{one_line(_shown(call), 160)} {ended}: {told}"
        if outcome and outcome.trace:
            line += f"\n{tail_of(without_values(outcome.trace, call.arguments), _LONGEST_TRACE)}"
        kind = "ERROR" if is_error else "TOOL_USE"
        logged = Entry(kind, line, data={"tool": call.name, **seconds}, is_foreign=True)
        self._journal.write([said], log=[logged])
        return Did(name, call.name, dict(call.arguments), text, is_error)

    def _count(self, call: ToolCall) -> None:
        mark = _shown(call)
        self._in_a_row = self._in_a_row + 1 if mark == self._last_call else 1
        self._last_call = mark

    def _failed_before(self, call: ToolCall) -> int:
        """How often the same call has failed in this session, as far as it is recent."""
        memory, here = self._journal.memory, self._journal.session.scope
        where: dict[str, Any] = {"layer": "session", "scope": here, "data.tool": call.name}
        failed = memory.query({**where, "kind": "tool_result", "data.is_error": True})
        if not failed:
            return 0
        keys = {"$in": [one.key for one in failed if one.key]}
        calls = memory.query({**where, "kind": "tool_call", "key": keys})
        return sum(one.data.get("arguments") == dict(call.arguments) for one in calls)


def _asked_for(call: ToolCall, step: int) -> dict[str, Any]:
    wrong = {"wrong": call.wrong} if call.wrong else {}
    return {STEP: step, "tool": call.name, "arguments": dict(call.arguments), **wrong}


def _shown(call: ToolCall) -> str:
    """A call as a line of text."""
    given = ", ".join(f"{name}={dumps(value)}" for name, value in call.arguments.items())
    return f"{call.name}({given})"
