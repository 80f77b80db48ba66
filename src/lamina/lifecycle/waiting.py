"""Why a proposal waits, and what it rests on, from records alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina.core.record import Trust
from lamina.layers.promoting import PREFERENCE, PROMOTED

if TYPE_CHECKING:
    from lamina.core.record import Record

PROPOSED: Final = "proposed"
"""Where what a model proposed says which model it was, and from what; see `lamina.proposing`."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where something was read."""

    quote: str
    """The words that it follows from; empty where they were not kept."""
    record: Record | None = None
    """What holds them, as far as that can still be seen."""
    place: str = ""
    """The file and line, where it was a file."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A proposal, and what to know to decide on it."""

    record: Record
    stands: Record | None
    """What stands in its place now."""
    why: tuple[str, ...]
    evidence: tuple[Evidence, ...] = ()


def reasons(record: Record, stands: Record | None) -> tuple[str, ...]:
    """Why a proposal was not simply taken."""
    found = [*_origin(record)]
    if stands is not None:
        found += _conflict(record, stands)
    elif record.supersedes is not None:
        found.append("what it was said against stands no more")
    if not found:
        found.append(f"what `{record.source}` says waits for somebody to agree")
    return tuple(found)


def _origin(record: Record) -> list[str]:
    told, brought = record.data.get(PROPOSED), record.data.get("proposer")
    found = []
    if isinstance(told, dict):
        found.append(f"a model, {told.get('by', 'unnamed')}, read it out of what was said")
    elif isinstance(brought, str):
        found.append(f"a model, {brought}, read it out of a file")
    if isinstance(origin := record.data.get(PROMOTED), dict):
        whose = origin.get("source", record.source)
        wide = "a preference for everybody is agreed to first"
        found.append(f"it is promoted from the {origin.get('layer', 'notes')} of {whose}")
        found += [wide] if (record.kind, record.scope) == (PREFERENCE, "global") else []
    return found


def _conflict(record: Record, stands: Record) -> list[str]:
    if record.trust.rank < stands.trust.rank:
        whose = "a person" if stands.trust is Trust.USER else f"`{stands.source}`"
        return [
            f"it says something else than {whose}, who is trusted more ({_trusts(record, stands)})"
        ]
    if record.source == stands.source:
        return ["it would change what is known, and changes are reviewed here"]
    if record.confidence < stands.confidence:
        sure = f"{record.confidence:.0%} against {stands.confidence:.0%}"
        return [f"it is less sure than what stands ({sure}), and trusted no more"]
    return [f"`{stands.source}` says something else, and neither is trusted more"]


def _trusts(record: Record, stands: Record) -> str:
    return f"{record.trust.value} against {stands.trust.value}"


def cited(record: Record) -> list[str]:
    """The records that a proposal was read in or made from."""
    told, origin = record.data.get(PROPOSED), record.data.get(PROMOTED)
    named: list[Any] = []
    if isinstance(told, dict) and isinstance(told.get("from"), list):
        named += told["from"]
    if isinstance(origin, dict):
        named.append(origin.get("id"))
    return [one for one in named if isinstance(one, str)]


def evidence(record: Record, known: dict[str, Record]) -> tuple[Evidence, ...]:
    """Where a proposal was read, shown with the passages that are still there."""
    told = record.data.get(PROPOSED)
    quote = str(told.get("quote", "")) if isinstance(told, dict) else ""
    found = [Evidence(quote, known.get(name)) for name in cited(record)]
    file, line = record.data.get("file"), record.data.get("line")
    if isinstance(file, str):
        found.append(Evidence("", place=f"{file}:{line}" if isinstance(line, int) else file))
    return tuple(found) or ((Evidence(quote),) if quote else ())
