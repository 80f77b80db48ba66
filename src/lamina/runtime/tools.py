"""The tools that a model may call, and what becomes of a call.

    box = toolbox([add, *lamina.skills.for_agent(finn)])
    model.chat(messages, tools=box.offered)
    outcome = box.call(call)            # words for the model, whatever the tool does

A tool is a function or a `lamina.skills.Skill`. `tool` says more about a function: that it may be
repeated after a crash, how long it may take, that it runs in a process of its own.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, overload

from lamina.core.canonical import check, check_text
from lamina.core.instants import check_seconds
from lamina.core.text.cut import head_and_tail
from lamina.errors import InvalidInputError
from lamina.runtime.rendering import reason
from lamina.runtime.running import Ran, address, in_process, in_thread
from lamina.signatures import Skill, skill_of

if TYPE_CHECKING:
    import threading

    from lamina.core.chat import ToolCall

SECONDS: Final = 60.0
"""How long a tool may take unless it says."""
MOST_CHARS: Final = 20_000
"""How much of a result goes to the model."""
MOST_HANGING: Final = 8
"""How many abandoned tools may still be running; with more, none is begun."""
MOST_NESTED: Final = 8
"""How deep tools may call tools."""
_MOST_NAMES: Final = 50
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
"""What services take as the name of a tool."""
_depth: ContextVar[int] = ContextVar("depth", default=0)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a call."""

    text: str
    """For the model."""
    is_error: bool = False
    seconds: float = 0.0
    bytes: int = 0
    """How large the whole result was, before it was cut."""
    trace: str = ""
    """Where it went wrong, for the log; models have no use for it."""


@dataclass(frozen=True, slots=True)
class Late:
    """That a tool has ended after it was given up."""

    name: str
    seconds: float
    text: str
    """What it returned or how it failed, cut: nobody was waiting for it any more."""


class Toolbox:
    """Tools by name; iterating over it gives them back."""

    def __init__(
        self,
        skills: Mapping[str, Skill],
        *,
        seconds: float = SECONDS,
        most_chars: int = MOST_CHARS,
        on_late: Callable[[Late], None] | None = None,
    ) -> None:
        self._skills = dict(skills)
        self._seconds = seconds
        self._most = most_chars
        self.on_late = on_late
        """Hears of tools that end after they were given up."""
        self._given_up: list[threading.Thread] = []

    def __iter__(self) -> Iterator[Skill]:
        return iter(self._skills.values())

    def __len__(self) -> int:
        return len(self._skills)

    @property
    def names(self) -> list[str]:
        """What the tools are called."""
        return list(self._skills)

    @property
    def offered(self) -> list[dict[str, Any]]:
        """What a model is told: name, description and parameters of each."""
        return [skill.metadata for skill in self]

    @property
    def hanging(self) -> int:
        """How many tools were given up and have not ended."""
        self._given_up[:] = [thread for thread in self._given_up if thread.is_alive()]
        return len(self._given_up)

    def plus(self, more: Iterable[Skill]) -> Toolbox:
        """These tools and more; where two have one name, those that are here stay."""
        skills = {skill.name: skill for skill in more} | self._skills
        box = Toolbox(
            skills, seconds=self._seconds, most_chars=self._most, on_late=self.on_late
        )  # fmt: skip
        # What hangs, hangs whoever calls.
        box._given_up = self._given_up
        return box

    def safe_to_repeat(self, name: str) -> bool:
        """Whether a call that may have run before a crash may run again."""
        return name in self._skills and self._skills[name].safe_to_repeat

    def call(self, call: ToolCall) -> Outcome:
        """Run what a model asks for; whatever the tool does, this returns words about it."""
        started = perf_counter()
        skill = self._skills.get(call.name)
        wrong = self._wrong(skill, call)
        if wrong or skill is None:
            return _outcome(Ran(error=wrong), started, self._most)
        limit = self._seconds if skill.seconds is None else skill.seconds
        depth = _depth.set(_depth.get() + 1)
        try:
            ran = self._run(skill, call.arguments, limit)
        finally:
            _depth.reset(depth)
        return _outcome(ran or _given_up(skill, limit), started, self._most)

    def _run(self, skill: Skill, arguments: Mapping[str, Any], limit: float) -> Ran | None:
        def late(ran: Ran, seconds: float) -> None:
            if self.on_late is not None:
                self.on_late(
                    Late(skill.name, seconds, head_and_tail(ran.text or ran.error, self._most))
                )

        try:
            if skill.apart:
                return in_process(skill, arguments, limit)
            ran = in_thread(skill, arguments, limit, late)
        except (OSError, RuntimeError) as error:  # no room for another thread or process
            return Ran(error=f"`{skill.name}` was not run: {reason(error)}")
        if isinstance(ran, Ran):
            return ran
        self._given_up.append(ran)
        return None

    def _wrong(self, skill: Skill | None, call: ToolCall) -> str:
        """Why a call cannot be run at all; empty when it can."""
        if skill is None:
            return self._unknown(call.name)
        if call.wrong:
            return f"the arguments of `{skill.name}` cannot be read: {call.wrong:.500}"
        if not isinstance(call.arguments, Mapping):
            return f"the arguments of `{skill.name}` must be an object of names and values"
        if not all(isinstance(name, str) for name in call.arguments):
            return f"the arguments of `{skill.name}` must have names that are text"
        if _depth.get() >= MOST_NESTED:
            return f"`{skill.name}` was not run: {MOST_NESTED} tools are calling one another"
        if self.hanging >= MOST_HANGING:
            return (
                f"`{skill.name}` was not run: {MOST_HANGING} tools of earlier calls still hang. "
                "Go on without tools, and say so"
            )
        return ""

    def _unknown(self, name: object) -> str:
        if not self._skills:
            return f"there is no tool `{name!s:.64}`, nor any other"
        near = difflib.get_close_matches(str(name)[:64], self._skills, n=3)
        listed = ", ".join(self.names[:_MOST_NAMES])
        more = len(self._skills) - _MOST_NAMES
        rest = f" and {more:,} more" if more > 0 else ""
        meant = f". Did you mean {' or '.join(near)}?" if near else "."
        return f"there is no tool `{name!s:.64}`{meant} There are: {listed}{rest}"


def toolbox(
    tools: Iterable[Skill | Callable[..., Any]],
    *,
    seconds: float = SECONDS,
    most_chars: int = MOST_CHARS,
    on_late: Callable[[Late], None] | None = None,
) -> Toolbox:
    """The tools that a model may call, each a `Skill` or a function.

    A tool may take so many `seconds`, unless it says otherwise, and return so many characters.

    Raises:
        InvalidInputError: Two have one name, or one cannot be told to a model.
    """
    if isinstance(tools, str | Mapping) or not isinstance(tools, Iterable):
        raise InvalidInputError(f"`tools` must be a list of tools, not {tools!r:.60}")
    check_seconds(seconds, "seconds", above_zero=True)
    if most_chars < 1:
        raise InvalidInputError(f"`most_chars` must be 1 or more, not {most_chars}")
    found: dict[str, Skill] = {}
    for one in tools:
        skill = _checked(one if isinstance(one, Skill) else skill_of(one))
        if skill.name in found:
            raise InvalidInputError(
                f"two tools have the name `{skill.name}`",
                remedy='Name one of them otherwise: tool(function, name="…")',
            )
        found[skill.name] = skill
    return Toolbox(found, seconds=seconds, most_chars=most_chars, on_late=on_late)


@overload
def tool(
    function: Callable[..., Any],
    *,
    name: str = "",
    safe_to_repeat: bool = False,
    seconds: float | None = None,
    apart: bool = False,
) -> Skill: ...
@overload
def tool(
    *,
    name: str = "",
    safe_to_repeat: bool = False,
    seconds: float | None = None,
    apart: bool = False,
) -> Callable[[Callable[..., Any]], Skill]: ...
def tool(
    function: Callable[..., Any] | None = None,
    *,
    name: str = "",
    safe_to_repeat: bool = False,
    seconds: float | None = None,
    apart: bool = False,
) -> Skill | Callable[[Callable[..., Any]], Skill]:
    """A function as a tool with more said about it; also a decorator.

    `safe_to_repeat` lets a resumed agent run a call again of which nobody knows whether it ran.
    `seconds` limit its time. `apart` runs it in a process of its own, so that a call which takes
    too long is ended and not only abandoned.
    """
    more: dict[str, Any] = {"safe_to_repeat": safe_to_repeat, "seconds": seconds, "apart": apart}

    def made(function: Callable[..., Any]) -> Skill:
        return _checked(replace(skill_of(function, name=name), **more), is_made=False)

    return made if function is None else made(function)


def _checked(skill: Skill, *, is_made: bool = True) -> Skill:
    """A tool that can be told to a model; one that is being made cannot be looked up yet."""
    if not isinstance(skill.name, str) or not _NAME.fullmatch(skill.name):
        raise InvalidInputError(
            f"{skill.name!r:.80} cannot be the name of a tool",
            remedy="Use letters, digits, _ and -, at most 64, with a letter first",
        )
    check_text(skill.description, f"the description of {skill.name}")
    schema = check(skill.parameters, f"the parameters of {skill.name}")
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise InvalidInputError(f"the parameters of `{skill.name}` are no schema of an object")
    if not callable(skill.execute):
        raise InvalidInputError(f"`execute` of `{skill.name}` cannot be called")
    if skill.seconds is not None:
        check_seconds(skill.seconds, "seconds", above_zero=True)
    if skill.apart and is_made:
        address(skill)
    return skill


def _given_up(skill: Skill, limit: float) -> Ran:
    fate = (
        "its process was ended"
        if skill.apart
        else "it may still be running, and what it returns will be dropped"
    )
    return Ran(error=f"`{skill.name}` took longer than {limit:g} seconds: {fate}")


def _outcome(ran: Ran, started: float, most: int) -> Outcome:
    text = ran.error or ran.text
    size = len(text.encode())
    return Outcome(
        head_and_tail(text, most), bool(ran.error), perf_counter() - started, size, ran.trace
    )
