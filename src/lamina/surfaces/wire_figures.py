"""The JSON shapes of figures: what there is, how good it is, what it cost, and what holds it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from lamina.core.instants import to_text
from lamina.core.layers import HOT, LAYERS, Durability
from lamina.core.scope import Scope
from lamina.stores.base import Capability

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lamina.answering import Answered
    from lamina.core.record import Record
    from lamina.lifecycle.weighing import Spent, Weighed
    from lamina.stores.base import Store
    from lamina.stores.questions import Lot

_BUSY: Final = frozenset(("now", "log"))
"""Where agents say what they do, and what they did."""


def sizes_out(lots: Sequence[Lot]) -> dict[str, Any]:
    """Records and their tokens: in all, and by layer."""
    return {
        "records": sum(one.records for one in lots),
        "tokens": sum(one.tokens for one in lots),
        "layers": _summed(lots, "records"),
        "layer_tokens": _summed(lots, "tokens"),
    }


def projects_out(lots: Sequence[Lot], names: Iterable[str]) -> list[dict[str, Any]]:
    """Every project with what it holds, by name."""
    records, tokens, agents = Counter[str](), Counter[str](), Counter[str]()
    for one in lots:
        project = Scope.of(one.scope).part("project") or ""
        records[project] += one.records
        tokens[project] += one.tokens
    for scope in {one.scope for one in lots if one.layer in _BUSY}:
        if Scope.of(scope).part("agent") is not None:
            agents[Scope.of(scope).part("project") or ""] += 1
    return [
        {"name": name, "records": records[name], "tokens": tokens[name], "agents": agents[name]}
        for name in sorted(names)
    ]


def agents_out(lots: Sequence[Lot], said: Iterable[Record]) -> list[dict[str, Any]]:
    """Those who have said what they do, or where they are, with what they said last."""
    agents: dict[str, dict[str, Any]] = {}
    for scope in sorted({one.scope for one in lots if one.layer in _BUSY}):
        name = Scope.of(scope).part("agent")
        if name is not None:
            agents[scope] = {"name": name, "scope": scope, "objective": "", "updated_at": None}
    for one in said:
        agent = agents.get(one.scope)
        if agent is not None:
            agent["objective"] = one.text if one.key == "objective" else agent["objective"]
            agent["updated_at"] = max(agent["updated_at"] or "", to_text(one.updated_at))
    return list(agents.values())


def answered_out(found: Answered) -> dict[str, Any]:
    """How recalls went."""
    return {
        "since": to_text(found.since),
        "asked": found.asked,
        "abstained": found.abstained,
        "median_ms": found.median_ms,
    }


def weighed_out(found: Weighed) -> dict[str, Any]:
    """How much of what is known says the same, or has faded."""
    return {
        "at": to_text(found.at),
        "known": found.known,
        "repeated": found.repeated,
        "stale": found.stale,
    }


def spent_out(found: Spent) -> dict[str, Any]:
    """What attempts have cost."""
    return {
        "at": to_text(found.at),
        "episodes": found.episodes,
        "tokens_in": found.tokens_in,
        "tokens_out": found.tokens_out,
        "days": [{"day": day, "tokens": tokens} for day, tokens in found.days],
        "agents": [{"name": name, "tokens": tokens} for name, tokens in found.agents],
    }


def durability_out(store: Store) -> dict[str, Any]:
    """What an acknowledged write survives, and in which layers it survives less."""
    synced = Capability.SYNCED in store.capabilities
    best = Durability.SYNCED if synced else Durability.COMMITTED
    if Capability.DURABLE not in store.capabilities:
        best = Durability.EPHEMERAL
    order = list(Durability)
    # A store that is not one log keeps what is hot elsewhere, where it is synced by and by.
    apart = HOT if synced and Capability.CHAINED not in store.capabilities else ()
    declared = {
        name: Durability.COMMITTED if name in apart else layer.durability
        for name, layer in LAYERS.items()
    }
    weaker = {
        name: level.value
        for name, level in declared.items()
        if order.index(level) > order.index(best)
    }
    return {"level": best.value, "weaker": weaker}


def _summed(lots: Iterable[Lot], what: str) -> dict[str, int]:
    sums = dict.fromkeys(LAYERS, 0)
    for one in lots:
        sums[one.layer] += getattr(one, what)
    return sums
