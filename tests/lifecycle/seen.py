"""What a store says, to be compared before and after."""

from typing import Any

from lamina import Memory
from lamina.core.record import Record, State, canonical_bytes, to_json

EVER = {"state": {"$in": [state.value for state in State]}}
_OF_THE_ENGINE = ("rev", "updated_at")
"""What counts the changes, of which taking one back is another."""


def everything(mem: Memory) -> dict[str, Any]:
    """Every record in whatever state, as its bytes but for what counts changes; no turns."""
    found = mem.query({**EVER, "kind": {"$ne": "lease"}}, limit=10_000)
    return {one.id: _said(one) for one in found}


def _said(record: Record) -> Any:
    assert canonical_bytes(record)
    return {name: value for name, value in to_json(record).items() if name not in _OF_THE_ENGINE}


def states(mem: Memory, layer: str) -> list[str]:
    """The states of the records of a layer, in the order in which they were made."""
    found = mem.query({**EVER, "layer": layer}, order_by="-created_at", limit=10_000)
    return [one.state.value for one in found]
