"""What a run writes down: messages, log entries and NOW, those of one step in one commit.

Ids follow from the run and the number of the step, and a message whose id is there already is
refused: whoever takes over after a crash cannot write a step twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lamina.compaction.unfinished import RUN
from lamina.core.canonical import keepable
from lamina.core.settings import LOG_AUTO
from lamina.sealing import scrub

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.core.draft import Draft
    from lamina.core.record import Record
    from lamina.layers.sessions import Session
    from lamina.leasing import Lease
    from lamina.memory import AgentMemory

STEP: Final = "step"
BY: Final = "by"
LOOP: Final = "loop"
_LONGEST_LINE: Final = 300
_LOOKED_AT: Final = 4_000


@dataclass(frozen=True, slots=True)
class Entry:
    """A message of the session or an entry of the log, before it is written."""

    kind: str
    text: str
    id: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    is_foreign: bool = False
    """Whether it is the words of a tool, which are believed less than the agent's."""


class Journal:
    """The records of one run, behind the lock of its session."""

    def __init__(self, memory: AgentMemory, session: Session, lease: Lease, run: str) -> None:
        self.memory = memory
        self.session = session
        self.lease = lease
        self.run = run
        self._logs = memory.settings()[LOG_AUTO] == "on"

    def write(
        self,
        said: Sequence[Entry] = (),
        *,
        log: Sequence[Entry] = (),
        now: Sequence[Draft] = (),
    ) -> None:
        """Keep what belongs together: all of it, or nothing."""
        drafts = [self._message(one) for one in said] + [*now]
        drafts += [self._logged(one) for one in log] if self._logs else []
        if drafts:
            self.lease.commit(drafts)

    def _message(self, one: Entry) -> Draft:
        draft: Draft = {
            "layer": "session", "scope": self.session.scope, "kind": one.kind, "text": one.text,
            "data": {RUN: self.run, **one.data},
        }  # fmt: skip
        if one.id is not None:
            draft |= {"key": one.id, "expect": 0}
        return {**draft, "via": "tool"} if one.is_foreign else draft

    def _logged(self, one: Entry) -> Draft:
        draft: Draft = {
            "layer": "log", "scope": self.memory.log.scope, "kind": one.kind, "text": one.text,
            "data": {RUN: self.run, "session": self.session.name, **one.data},
        }  # fmt: skip
        return {**draft, "via": "tool"} if one.is_foreign else draft


def one_line(text: str, most: int = _LONGEST_LINE) -> str:
    """The beginning of a text as one line."""
    kept = keepable(text)
    line = " ".join(kept.split())
    if len(line) <= most:
        return line
    # Half a secret is not recognised as one by whoever writes it down.
    line = " ".join(scrub(kept[: most + _LOOKED_AT]).split())
    return f"{line[: most - 1]}…"


def step_id(run: str, step: int, call: int | None = None) -> str:
    """The id of a step, or of one of its calls."""
    return f"{run}-{step}" if call is None else f"{run}-{step}-{call}"


def run_of(record: Record) -> str | None:
    """The run that a message belongs to."""
    said = record.data.get(RUN)
    return said if isinstance(said, str) else None
