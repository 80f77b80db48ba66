"""Memories that Mem0 exported: a list, an object with `results`, or JSON lines."""

from collections.abc import Iterable, Iterator
from typing import Any

from lamina.importing.formats.items import Found, Item, Left, name_of, some, tags_of, text_of, times

NAME = "mem0"
_SAID = ("memory", "text", "content")
_OWN = ("user_id", "agent_id", "run_id", "app_id", "actor_id", "hash", "role")


def is_wanted(value: dict[str, Any]) -> bool:
    """Whether this is a memory of Mem0."""
    known = {"id", "hash", "categories", "metadata", *_OWN} & value.keys()
    return isinstance(value.get("memory"), str) and bool(known)


def items(found: Iterable[Found | Left]) -> Iterator[Item | Left]:
    """The memories, one by one."""
    for one in found:
        yield one if isinstance(one, Left) else _item(one)


def _item(found: Found) -> Item | Left:
    value = found.value
    if not isinstance(value, dict):
        return Left(found.place, "not an object")
    text = next((said for name in _SAID if (said := text_of(value.get(name)))), "")
    if not text:
        return Left(found.place, "it says nothing: no `memory`")
    who = next((value[name] for name in ("user_id", "agent_id") if value.get(name)), "")
    named = text_of(value.get("id"))
    owner = [text_of(value.get(name)) for name in ("user_id", "agent_id", "run_id")]
    return Item(
        place=found.place, identity=("id", named) if named else ("said", *owner, text),
        text=text, kind="fact", tags=tags_of(value.get("categories")), source=name_of(who),
        data=some(
            id=named, metadata=value.get("metadata"), **{name: value.get(name) for name in _OWN}
        ),
        **times(value.get("created_at"), value.get("updated_at")),
    )  # fmt: skip
