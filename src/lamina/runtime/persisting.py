"""PERSIST: the answer, the log and NOW in one commit, then what the session needs after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.compaction.unfinished import FINAL
from lamina.runtime import standing
from lamina.runtime.journal import STEP, Entry, step_id
from lamina.runtime.learning import in_log

if TYPE_CHECKING:
    from lamina.runtime.executing import Answer
    from lamina.runtime.journal import Journal


def keep(journal: Journal, answer: Answer) -> None:
    """Record that a run has ended, and with what."""
    name = step_id(journal.run, answer.step)
    said = Entry("assistant", answer.text, name, {STEP: answer.step, FINAL: True})
    told = in_log(journal.memory, answer.text)
    logged = Entry("THOUGHT", f"Replied: {told}", data={"what": "reply"})
    journal.write([said], log=[logged], now=standing.ended(journal.memory))
