"""After a run: what matters is saved before the session is shortened, and session and log are.

A run is over by then. Whatever goes wrong here is told in the log and changes nothing of it.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from lamina.core.complaints import named
from lamina.core.text import estimate_tokens
from lamina.core.text.cut import head_of
from lamina.errors import LaminaError
from lamina.models.summing import summariser
from lamina.proposing import after_session
from lamina.runtime.asking import ask, chatting
from lamina.runtime.journal import Entry, one_line
from lamina.runtime.learning import unechoed
from lamina.runtime.turns import groups
from lamina.runtime.window import Fixed, fit
from lamina.skills import for_agent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lamina.core.chat import Message, ToolCall
    from lamina.core.record import Record
    from lamina.runtime.asking import AnyModel
    from lamina.runtime.executing import Answer
    from lamina.runtime.journal import Journal
    from lamina.runtime.limits import Limits
    from lamina.skills import Skill

_PROMPT: Final = "You are {}. You look after what you will need to remember."
_SAVE: Final[Message] = {
    "role": "user",
    "content": "This conversation is about to be shortened to a summary. Save now what you will"
    " need later and have not saved yet: facts, decisions, what you are doing and what comes next."
    " Use the tools, or write it down in a few sentences. Answer NOTHING if all of it is saved.",
}
_NOTHING: Final = "nothing"
_LONGEST_NOTE: Final = 8_000


def look_after(journal: Journal, model: AnyModel, limits: Limits, answer: Answer) -> None:
    """Tell what of the memory was of use; flush, propose and compact what is due."""
    session = journal.session

    def save(view: Sequence[Record]) -> None:
        _flush(journal, model, limits, view)

    _tried(journal, lambda: answer.seen.context.used_in(answer.text))
    memory, chats = journal.memory, chatting(model)
    for due in (
        lambda: session.flush(save),
        lambda: after_session(memory, session.name, chats),
        lambda: session.compact(summarise=summariser(memory, chats)),
        lambda: memory.compact_log(summarise=summariser(memory, chats)),
    ):
        _tried(journal, due)


def _tried(journal: Journal, due: Callable[[], object]) -> None:
    try:
        # What a run leaves behind is looked after by whoever has the session.
        journal.lease.check()
        due()
    except Exception as error:  # the run has ended well, and its answer must not be lost for this
        told = one_line(f"After the run: {named(error)}")
        with suppress(LaminaError, OSError):
            journal.write(log=[Entry("ERROR", told, data={"what": "after"})])


def _flush(journal: Journal, model: AnyModel, limits: Limits, view: Sequence[Record]) -> None:
    """Ask the model once to save what matters."""
    skills = {skill.name: skill for skill in for_agent(journal.memory)}
    offered = [skill.metadata for skill in skills.values()]
    fixed = Fixed(_PROMPT.format(journal.memory.principal.name), "", offered)
    messages, _ = fit(fixed, groups(view), limits.window, estimate_tokens)
    reply = ask(model, [*messages, _SAVE], offered, limits, None)
    for call in reply.tool_calls[: limits.calls]:
        skill = skills.get(call.name)
        if skill is not None and not call.wrong:
            _tried(journal, partial(_saved, journal, skill, call))
    _keep_note(journal, reply.text)


def _saved(journal: Journal, skill: Skill, call: ToolCall) -> None:
    """Do what the model asks for, unless it was only shown that."""
    for value in call.arguments.values():
        if isinstance(value, str) and value.strip() and not unechoed(journal.memory, value).strip():
            raise LaminaError("what was to be saved is remembered already")
    skill.execute(**call.arguments)


def _keep_note(journal: Journal, text: str) -> None:
    """What was written down instead of calling tools."""
    own = head_of(unechoed(journal.memory, text).strip(), _LONGEST_NOTE)
    if own and own.rstrip(".!").lower() != _NOTHING:
        key = f"{journal.session.name}/{journal.run}"
        journal.memory.experience.put("outcome", key, own, data={"flushed": journal.session.name})
