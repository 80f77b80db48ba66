"""`Agent`: a model with a memory, run by run.

    agent = Agent(mem.agent("finn", project="web"), model, tools)
    print(agent.run("What did we decide about the login?").reply)

A run goes through INTAKE, CONTEXT, EXECUTE and PERSIST, one at a time per session. What it does is
recorded as it does it, so that a run that was killed goes on where it was with "continue".
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina import leasing
from lamina.core.names import check_name
from lamina.core.settings import LOG_AUTO
from lamina.errors import InvalidInputError, LaminaError
from lamina.memory import AgentMemory
from lamina.runtime import folder, persisting, recovering
from lamina.runtime.asking import AnyModel, check_model
from lamina.runtime.executing import Answer, Execution, Step
from lamina.runtime.intake import Taken, take_in
from lamina.runtime.journal import one_line
from lamina.runtime.limits import Limits
from lamina.runtime.saving import look_after
from lamina.runtime.seeing import Sight
from lamina.runtime.tools import Toolbox, toolbox
from lamina.skills import for_agent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lamina.layers.sessions import Session
    from lamina.leasing import Lease
    from lamina.paging import Context
    from lamina.runtime.tools import Late
    from lamina.runtime.window import Window
    from lamina.skills import Skill

_SHARE: Final = 8
"""The part of the window that directives may take at most, and the list of skills again."""


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a run."""

    reply: str
    session: str
    id: str
    steps: tuple[Step, ...]
    """The steps with calls of tools, as far as they were made this time and not before a resume."""
    context: Context
    """What of the memory the model saw when it answered."""
    window: Window
    """What the model saw when it answered, in tokens."""
    is_resumed: bool = False
    tokens_in: int = 0
    tokens_out: int = 0


class Agent:
    """A model that works with the memory of one agent."""

    def __init__(
        self,
        memory: AgentMemory,
        model: AnyModel,
        tools: Iterable[Skill | Callable[..., Any]] = (),
        *,
        limits: Limits | None = None,
        instructions: str = "",
        count: Callable[[str], int] | None = None,
    ) -> None:
        """Bring a memory and a model together.

        The model may call the five skills of `lamina.skills` beside `tools`; a `toolbox(…)` stands
        for itself alone. `instructions` are added to the system prompt, behind what the agent's
        folder says; `count` counts tokens as the model does.
        """
        if not isinstance(memory, AgentMemory):
            raise InvalidInputError(
                f"`memory` is not the memory of an agent: {memory!r:.60}",
                remedy='Pass mem.agent("finn", project="web")',
            )
        self.memory = memory
        self.model = check_model(model)
        if not isinstance(tools, Toolbox):
            tools = toolbox(tools).plus(for_agent(memory))
        # A copy: whoever shares the box hears of their own tools alone.
        self.tools = tools.plus(())
        self.tools.on_late = tools.on_late or self._late
        self.limits = limits or Limits()
        self.instructions = instructions
        self._count = count

    def run(
        self,
        text: str | None,
        *,
        session: str = "main",
        on_text: Callable[[str], None] | None = None,
        wait: float = 0.0,
    ) -> Run:
        """Answer a user; the words of the model go to `on_text` as they come.

        A run that broke off goes on with `None` or a text like "continue"; with any other it is
        given up. `wait` says for how many seconds to wait for another run of the session.

        Raises:
            BusyError: The session is being run by someone else who is alive.
            InvalidInputError: There is nothing to continue, or no text.
            ModelError: The model is down, answers nothing that can be used, or comes to no end.
                The session stands where it was and goes on with "continue".
        """
        with hold_session(self.memory, session, wait=wait) as lease:
            talk = self.memory.session(session)
            taken = take_in(self.memory, talk, lease, text)
            return self._carried_out(talk, taken, on_text)

    def resume(
        self,
        *,
        session: str = "main",
        on_text: Callable[[str], None] | None = None,
        wait: float = 0.0,
    ) -> Run:
        """Go on with the run that broke off in a session."""
        return self.run(None, session=session, on_text=on_text, wait=wait)

    def _carried_out(
        self, talk: Session, taken: Taken, on_text: Callable[[str], None] | None
    ) -> Run:
        sight = Sight(self.memory, talk, taken, self.limits, self._count)
        work = Execution(self.model, sight, self.limits, taken)
        try:
            room = min(folder.MOST_TOKENS, self.limits.window // _SHARE)
            given = folder.read_folder(self.memory, most_tokens=room)
            extra = _joined(given.prompt(), self.instructions)
            answer = work.go(self.tools.plus(given.tools()), extra, on_text)
            persisting.keep(taken.journal, answer)
        except BaseException as error:  # also who ends the process leaves the way on behind
            recovering.broke_off(taken.journal, work.step, taken.asked, error)
            raise
        look_after(taken.journal, self.model, self.limits, answer)
        return self._told(talk, taken, work, answer)

    def _late(self, ended: Late) -> None:
        """A tool that was given up has ended: the log should say so."""
        # Nobody waits for it, so nobody could be told that the store is closed by now.
        with suppress(LaminaError, OSError):
            if self.memory.settings()[LOG_AUTO] == "on":
                told = f"{ended.name} ended after it was given up: {one_line(ended.text)}"
                self.memory.log.system(told, tool=ended.name, seconds=round(ended.seconds, 1))

    def _told(self, talk: Session, taken: Taken, work: Execution, answer: Answer) -> Run:
        return Run(
            answer.text, talk.name, taken.journal.run, tuple(work.steps), answer.seen.context,
            answer.seen.window, taken.is_resumed, work.tokens_in, work.tokens_out,
        )  # fmt: skip


def hold_session(memory: AgentMemory, session: str = "main", *, wait: float = 0.0) -> Lease:
    """The lock of a session, which one run at a time holds; a loop of your own may hold it too.

    Raises:
        BusyError: Somebody who is alive works on it, also after `wait` seconds.
    """
    check_name(session, "session")
    name = leasing.of_session(memory.principal.name, session)
    return leasing.take(memory, name, scope=memory.scope, wait=wait)


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)
