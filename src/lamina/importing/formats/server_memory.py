"""`memory.jsonl` of the reference memory server: entities with observations, and relations.

Each observation becomes one record of knowledge that names its entity, so that it is found and
corrected by itself.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from lamina.importing.formats.items import Found, Item, Left, some, text_of

NAME = "server-memory"


def is_wanted(value: dict[str, Any]) -> bool:
    """Whether this is a line of such a file."""
    return value.get("type") in ("entity", "relation")


def items(found: Iterable[Found | Left]) -> Iterator[Item | Left]:
    """The items of a file, line by line."""
    for one in found:
        if isinstance(one, Left):
            yield one
        elif not isinstance(one.value, dict) or not is_wanted(one.value):
            yield Left(one.place, "neither an entity nor a relation")
        elif one.value["type"] == "relation":
            yield _relation(one)
        else:
            yield from _entity(one)


def _entity(found: Found) -> Iterator[Item | Left]:
    name, sort = text_of(found.value.get("name")), text_of(found.value.get("entityType"))
    said = found.value.get("observations")
    if not name or not isinstance(said, list | type(None)):
        yield Left(found.place, "an entity without a name, or without a list of observations")
        return
    data = some(entity=name, entity_type=sort)
    observed = [text_of(one) for one in said or ()]
    if not any(observed):
        text = f"{name} is {_article(sort)}" if sort else name
        yield Item(
            place=found.place, identity=("entity", name), text=text, kind="entity", data=data
        )
    for text in dict.fromkeys(filter(None, observed)):
        yield Item(
            place=found.place, identity=("observation", name, text), kind="fact",
            text=text if name.casefold() in text.casefold() else f"{name}: {text}",
            data={**data, "observation": text},
        )  # fmt: skip


def _relation(found: Found) -> Item | Left:
    ends = [text_of(found.value.get(name)) for name in ("from", "relationType", "to")]
    if not all(ends):
        return Left(found.place, "a relation without `from`, `to` and `relationType`")
    one, how, other = ends
    return Item(
        place=found.place, identity=("relation", *ends), kind="relation",
        text=f"{one} {how.replace('_', ' ')} {other}",
        data={"from": one, "relation": how, "to": other},
    )  # fmt: skip


def _article(sort: str) -> str:
    return f"an {sort}" if sort[:1].lower() in "aeiou" else f"a {sort}"
