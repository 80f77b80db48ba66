"""Hot state: what an agent has before its eyes whatever is asked.

NOW with the notes that people wrote into it, the tail of the LOG, facts, open tasks, and of MEMORY
what weighs most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.errors import StoreUnavailableError
from lamina.layers.now import NEXT_STEPS, OBJECTIVE
from lamina.layers.tasks import GOING_ON, Status
from lamina.paging.parts import Part, Reasons
from lamina.paging.tail import tail_of_log
from lamina.paging.weight import weightiest

if TYPE_CHECKING:
    from lamina.core.record import Record
    from lamina.layers.face import Door

SHARES: Final = {"now": 0.25, "log": 0.25, "fact": 0.2, "tasks": 0.15, "memory": 0.15}
"""How hot state shares its part, in the order in which it is shown."""
LONGEST: Final = 150
"""How many tokens one entry has at most: hot state is many things at a glance."""
MEMORY_SHARE: Final = 0.12
"""The most that MEMORY takes of a whole context: what weighs much need not be what is asked."""
_FACTS: Final = 50
_TASKS: Final = 50
_NOTES: Final = 10
_MEMORIES: Final = 24
_KNOWN: Final = (OBJECTIVE, NEXT_STEPS)


def hot_state(door: Door, session: str | None = None) -> dict[str, Part]:
    """The parts of hot state by name, in the order in which they are shown."""
    facts = _facts(door)
    found = {
        "now": _now(door),
        "log": tail_of_log(door, session, facts.records),
        "fact": facts,
        "tasks": _tasks(door),
        "memory": _memory(door),
    }
    return {name: part for name, part in found.items() if part.records or part.left or part.lacks}


def _now(door: Door) -> Part:
    """What is being done, and what people wrote below headings of their own in NOW.md."""
    here = {"layer": "now", "scope": door.scope.path}
    known = door.query({**here, "key": {"$in": list(_KNOWN)}}, limit=len(_KNOWN))
    # Steps that were all done leave an empty list behind, which tells nobody anything.
    known = [record for record in known if record.text.strip()]
    known.sort(key=lambda record: _KNOWN.index(str(record.key)))
    notes = door.query({**here, "kind": "note"}, limit=_NOTES + 1)
    return Part([*known, *reversed(notes[:_NOTES])], len(notes) > _NOTES)


def _facts(door: Door) -> Part:
    """Single values; of those with one key, the nearest: the agent's, the project's, anyone's."""
    nearest: dict[str | None, Record] = {}
    part = Part([])
    for place in _places(door):
        found = _of(door, place, "fact", _FACTS)
        part.has_more |= found.has_more
        for record in found.records:
            if record.key in nearest:
                part.left.append((record, Reasons.NEARER))
            else:
                nearest[record.key] = record
    part.records = list(nearest.values())[:_FACTS]
    part.has_more |= len(nearest) > _FACTS
    return part


def _tasks(door: Door) -> Part:
    """What is to be done: what is being done first, then what is urgent."""
    root = door.principal.common.path
    where: dict[str, Any] = {"data.status": {"$in": list(GOING_ON)}}
    try:
        part = _of(door, root, "task", _TASKS, where)
    except StoreUnavailableError as error:
        # They may lie in a store of their own; what else there is is worth showing without them.
        return Part([], lacks=f"tasks: {error.message}")
    part.records.sort(key=lambda one: (one.data.get("status") != Status.ACTIVE, -_priority(one)))
    return part


def _memory(door: Door) -> Part:
    """Of what the agent has learned and the project knows, what weighs most."""
    own, root = door.scope.path, door.principal.common.path
    places = dict.fromkeys((own, root))
    found = [one for place in places for one in weightiest(door, place, _MEMORIES + 1)]
    found.sort(key=lambda one: (-one.importance, -one.confidence))
    return Part(found[:_MEMORIES], len(found) > _MEMORIES)


def _places(door: Door) -> list[str]:
    own, root = door.scope.path, door.principal.common.path
    return list(dict.fromkeys((own, root, "global")))


def _of(door: Door, scope: str, layer: str, most: int, where: dict[str, Any] | None = None) -> Part:
    # One scope at a time: that is an index, several at once are not.
    found = door.query({"layer": layer, "scope": scope, **(where or {})}, limit=most + 1)
    return Part(found[:most], len(found) > most)


def _priority(record: Record) -> float:
    urgent = record.data.get("priority", 0)
    return float(urgent) if isinstance(urgent, int | float) else 0.0
