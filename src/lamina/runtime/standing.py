"""NOW as the loop keeps it: only where nobody else has said what goes on.

What a person, the model itself or a plan wrote there stays. Recovery steps come before it and go
again once a run ends well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.layers.now import NEXT_STEPS, OBJECTIVE
from lamina.runtime.journal import BY, LOOP, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.core.draft import Draft
    from lamina.core.record import Record
    from lamina.memory import AgentMemory

_BEFORE: Final = "before"
_LONGEST: Final = 200


def begun(memory: AgentMemory, asked: str) -> list[Draft]:
    """What NOW says when a run begins."""
    found = _found(memory)
    drafts: list[Draft] = []
    line = one_line(asked, _LONGEST)
    if _is_free(found.get(OBJECTIVE)):
        drafts.append(
            {"layer": "now", "scope": memory.now.scope, "kind": OBJECTIVE, "key": OBJECTIVE,
             "text": line, "data": {BY: LOOP}}
        )  # fmt: skip
    if _is_free(found.get(NEXT_STEPS)):
        steps = [f"Answer: {line}"]
        drafts.append(_steps(memory, steps, _before(found.get(NEXT_STEPS))))
    return drafts


def ended(memory: AgentMemory) -> list[Draft]:
    """What NOW says when a run has ended well: what it said before, less our own steps."""
    steps = _found(memory).get(NEXT_STEPS)
    if steps is None or not _is_free(steps) or not steps.text:
        return []
    return [_steps(memory, _before(steps), [], by=not _before(steps))]


def broken(memory: AgentMemory, recovery: Sequence[str]) -> list[Draft]:
    """What NOW says when a run broke off: how to go on, then what was there."""
    steps = _found(memory).get(NEXT_STEPS)
    before = _before(steps) if _is_free(steps) else _told(steps)
    return [_steps(memory, [*(one_line(one, _LONGEST) for one in recovery), *before], before)]


def _steps(memory: AgentMemory, steps: list[str], before: list[str], *, by: bool = True) -> Draft:
    data: dict[str, Any] = {"steps": steps} | ({BY: LOOP, _BEFORE: before} if by else {})
    return {
        "layer": "now", "scope": memory.now.scope, "kind": NEXT_STEPS, "key": NEXT_STEPS,
        "text": "\n".join(steps), "data": data,
    }  # fmt: skip


def _found(memory: AgentMemory) -> dict[str, Record]:
    where = {"layer": "now", "scope": memory.now.scope, "key": {"$in": [OBJECTIVE, NEXT_STEPS]}}
    return {str(one.key): one for one in memory.query(where, limit=2)}


def _is_free(record: Record | None) -> bool:
    """Whether nobody but the loop has said anything there."""
    return record is None or not record.text.strip() or record.data.get(BY) == LOOP


def _before(record: Record | None) -> list[str]:
    """The steps that stood there before the loop wrote its own."""
    said = record.data.get(_BEFORE) if record is not None else None
    return [one for one in said if isinstance(one, str)] if isinstance(said, list) else []


def _told(record: Record | None) -> list[str]:
    return [] if record is None else [one for one in record.text.splitlines() if one.strip()]
