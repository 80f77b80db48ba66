"""Items of LangGraph as records, and back.

A record of layer `knowledge` and kind `langgraph` holds one item: the value whole in its data, and
what the value says, as a person would read it, in its text. The text is what recall searches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from langgraph.store.base import Item, SearchItem, get_text_at_path

from lamina.adapters.langgraph import names
from lamina.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langgraph.store.base import PutOp

    from lamina import Memory
    from lamina.core.draft import Draft
    from lamina.core.record import Record

LAYER: Final = "knowledge"
KIND: Final = "langgraph"


def where_of(memory: Memory) -> dict[str, Any]:
    """The filter of all items of a handle's own scope."""
    return {"scope": memory.scope.path, "layer": LAYER, "kind": KIND}


def draft_of(op: PutOp, fields: Sequence[str] | None, vectors: Sequence[Sequence[int]]) -> Draft:
    """What is remembered for an item that is put."""
    if not isinstance(op.value, Mapping):
        raise InvalidInputError(f"`value` must be a mapping, not {type(op.value).__name__}")
    key = names.key_of(op.namespace, op.key)
    data: dict[str, Any] = {"value": dict(op.value)}
    if names.is_cut(key):
        data |= {"namespace": list(op.namespace), "item": op.key}
    if op.index is False:
        data["searched"] = False
    if vectors:
        data["vectors"] = [list(vector) for vector in vectors]
    draft: Draft = {"layer": LAYER, "kind": KIND, "key": key, "data": data}
    draft["text"] = "" if op.index is False else text_of(op.value, fields)
    if op.ttl is not None:
        data["ttl_minutes"] = op.ttl
        draft["expires"] = _lasting(op.ttl)
    return draft


def _lasting(minutes: object) -> timedelta:
    try:
        return timedelta(minutes=minutes)  # type: ignore[arg-type]  # what is no number raises
    except (TypeError, ValueError, OverflowError):
        raise InvalidInputError(f"`ttl` must be a number of minutes, not {minutes!r:.40}") from None


def text_of(value: Mapping[str, Any], fields: Sequence[str] | None) -> str:
    """What a value says: all of it, or what stands in some fields."""
    if fields and "$" not in fields:
        return "\n".join(text for field in fields for text in get_text_at_path(dict(value), field))
    said = list(_said(value))
    if len(said) == 1:
        return said[0][1]
    return "\n".join(f"{name}: {text}" for name, text in said)


def _said(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for inner, one in value.items():
            yield from _said(one, f"{name}.{inner}" if name else str(inner))
    elif isinstance(value, list | tuple):
        if all(isinstance(one, str | int | float) for one in value):
            yield name, ", ".join(map(str, value))
        else:
            for one in value:
                yield from _said(one, name)
    elif value is not None and value != "":
        yield name, str(value)


def place_of(record: Record) -> tuple[tuple[str, ...], str]:
    """The namespace and the key of the item that a record holds."""
    key = record.key or ""
    if names.is_cut(key):
        return tuple(record.data.get("namespace", ())), record.data.get("item", "")
    return names.read(key)


def value_of(record: Record) -> dict[str, Any]:
    """The value as it is kept: secrets are references."""
    value = record.data.get("value")
    return value if isinstance(value, dict) else {}


def item_of(record: Record, value: dict[str, Any]) -> Item:
    """The item that a record holds."""
    namespace, key = place_of(record)
    return Item(
        value=value, key=key, namespace=namespace,
        created_at=record.created_at, updated_at=record.updated_at,
    )  # fmt: skip


def found_of(record: Record, value: dict[str, Any], score: float | None) -> SearchItem:
    """The item that a record holds, as a search hands it out."""
    namespace, key = place_of(record)
    return SearchItem(namespace, key, value, record.created_at, record.updated_at, score)
