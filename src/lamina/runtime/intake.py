"""INTAKE: whose turn it is, what is wanted, and whether a run was broken off in the middle.

Loads the last run of the session and NOW, nothing else. The intent, the message and NOW are one
commit, so that a run is known to have begun or has not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lamina import clock
from lamina.core.canonical import check_text
from lamina.errors import InvalidInputError
from lamina.runtime import standing
from lamina.runtime.journal import Entry, Journal, one_line
from lamina.runtime.progress import Pending, Progress, of_last_run

if TYPE_CHECKING:
    from lamina.layers.sessions import Session
    from lamina.leasing import Lease
    from lamina.memory import AgentMemory

_GO_ON: Final = re.compile(
    r"\s*((please|ok|okay|yes|now|just)[\s,.!]+)*"
    r"(continue|go on|go ahead|keep (on )?going|resume|carry on|proceed)"
    r"( (with|from) (it|this|that|there|((the|your) )?(task|work|job|run|last step)))?"
    r"( ?(from )?where (you|we|it) (were|was|stopped|left (it )?off|broke off|had (been|stopped)))?"
    r"(,?\s*(now|please))*[\s.!…]*",
    re.I,
)
UNKNOWN: Final = (
    "It is not known whether this call took effect: the run was interrupted before its result was"
    " recorded. Look whether it did before you repeat it."
)
NOT_BEGUN: Final = "This call was not made: the run was interrupted before it."


@dataclass(frozen=True, slots=True)
class Taken:
    """What INTAKE found."""

    journal: Journal
    asked: str
    """What is wanted, in the words of the user."""
    step: int
    """The number of the last step that is recorded."""
    pending: tuple[Pending, ...] = ()
    is_resumed: bool = False


def says_continue(text: str) -> bool:
    """Whether someone wants no more than that it goes on."""
    return _GO_ON.fullmatch(text) is not None


def take_in(memory: AgentMemory, session: Session, lease: Lease, text: str | None) -> Taken:
    """Record what is wanted, or find out where a run was broken off.

    Raises:
        InvalidInputError: There is nothing to continue, or no text.
    """
    last = of_last_run(memory, session)
    is_open = last is not None and not last.is_over
    if text is None and not is_open:
        raise InvalidInputError(
            f"there is nothing to continue in the session `{session.name}`",
            remedy="Say what is wanted: run(text)",
        )
    if last is not None and is_open and (text is None or says_continue(text)):
        return _resumed(memory, session, lease, last, text)
    asked = check_text(text, "text")
    if not asked.strip():
        raise InvalidInputError("`text` is empty", remedy="Say what is wanted")
    return _begun(memory, session, lease, last if is_open else None, asked)


def _begun(
    memory: AgentMemory, session: Session, lease: Lease, left: Progress | None, asked: str
) -> Taken:
    journal = Journal(memory, session, lease, f"r-{clock.fresh_id()[-10:]}")
    said = [_given_up(one) for one in left.pending] if left else []
    said.append(Entry("user", asked, journal.run))
    intent = Entry("SYSTEM", f"Asked: {one_line(asked)}", data={"what": "intent"})
    journal.write(said, log=[intent], now=standing.begun(memory, asked))
    return Taken(journal, asked, 0)


def _resumed(
    memory: AgentMemory, session: Session, lease: Lease, last: Progress, text: str | None
) -> Taken:
    journal = Journal(memory, session, lease, last.run)
    said = []
    if text is not None:
        said = [Entry("user", text, f"{last.run}-again{last.times_resumed + 1}")]
    note = f"Resumed after step {last.steps}: {one_line(last.asked)}"
    journal.write(said, log=[Entry("SYSTEM", note, data={"what": "resumed"})])
    return Taken(journal, last.asked, last.steps, last.pending, is_resumed=True)


def _given_up(pending: Pending) -> Entry:
    """The result of a call that nobody will wait for any more."""
    told = UNKNOWN if pending.may_have_begun else NOT_BEGUN
    data = {"tool": pending.call.name, "is_error": True, "abandoned": True}
    return Entry("tool_result", told, pending.id, data)
