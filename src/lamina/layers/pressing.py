"""How full a session is, and what is done about it: flushed, planned, compacted, announced."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from lamina.compaction import timing, transcripts
from lamina.compaction.archiving import carry_out
from lamina.compaction.checking import check_callable
from lamina.compaction.relevance import words
from lamina.core.announcements import MemoryCompact, MemoryFlush
from lamina.errors import LaminaError
from lamina.layers.now import NEXT_STEPS, OBJECTIVE
from lamina.layers.tasks import GOING_ON

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.compaction import Compaction, Plan, Pressure
    from lamina.compaction.checking import Summarise
    from lamina.core.announcements import Announcement
    from lamina.core.record import Record
    from lamina.core.scope import Scope
    from lamina.layers.face import Door

_MARK: Final = "flushed"
_MOST_TASKS: Final = 50


def pressure(door: Door, home: Scope, name: str, found: Sequence[Record]) -> Pressure:
    """What is due for a session with these messages."""
    messages, limits = transcripts.live(found), timing.Limits.of(door.settings())
    place = home.child("session", name)
    was_flushed = limits.may_flush and _flushed_since(door, place) == _last_summary(messages)
    return timing.pressure(messages, _focus(door, home), limits, was_flushed=was_flushed)


def flushed(door: Door, home: Scope, name: str, found: Sequence[Record]) -> None:
    """Write down that the agent was asked, and tell those who listen."""
    place = home.child("session", name).path
    since = _last_summary(transcripts.live(found))
    door.remember_many([{
        "layer": "now", "kind": "frame", "scope": place, "key": _MARK,
        "text": "what matters was saved before compaction", "data": {"since": since},
    }])  # fmt: skip
    _tell(door, MemoryFlush(session_id=name), place)


def plan(
    door: Door,
    home: Scope,
    name: str,
    found: Sequence[Record],
    force: bool,
    summarise: Summarise | None,
) -> Plan | None:
    """What compacting a session would do; nothing, while it is not due."""
    check_callable(summarise, "summarise")
    messages, limits = transcripts.live(found), timing.Limits.of(door.settings())
    about = _focus(door, home)
    due = timing.pressure(messages, about, limits)
    if not force and not due.compact_due:
        return None
    stays = transcripts.chosen(messages, about, limits)
    return transcripts.plan(messages, home.child("session", name), stays, due.why, summarise)


def compacted(door: Door, name: str, planned: Plan) -> Compaction:
    """Carry a plan out, and tell those who listen."""
    done = carry_out(door, planned)
    event = MemoryCompact(session_id=name, before=done.before_tokens, after=done.after_tokens)
    _tell(door, event, planned.place.path)
    return done


def _focus(door: Door, home: Scope) -> frozenset[str]:
    """The words of what is being done: the objective, the next steps, the tasks."""
    now = {"layer": "now", "scope": home.path, "key": {"$in": [OBJECTIVE, NEXT_STEPS]}}
    place = door.principal.common.path
    tasks = {"layer": "task", "scope": place, "data.status": {"$in": list(GOING_ON)}}
    found = [*door.query(now, limit=2), *door.query(tasks, limit=_MOST_TASKS)]
    return frozenset().union(*(words(record.text) for record in found))


def _tell(door: Door, event: Announcement, place: str) -> None:
    # It has happened: that nobody could be told of it does not take it back.
    with suppress(LaminaError, OSError):
        door.announce(event, scope=place)


def _flushed_since(door: Door, place: Scope) -> str | None:
    where = {"layer": "now", "kind": "frame", "scope": place.path, "key": _MARK}
    found = door.query(where, limit=1)
    return str(found[0].data.get("since", "")) if found else None


def _last_summary(messages: Sequence[Record]) -> str:
    """What tells one span between compactions from the next."""
    first = messages[0] if messages and messages[0].kind == "summary" else None
    return first.id if first else ""
