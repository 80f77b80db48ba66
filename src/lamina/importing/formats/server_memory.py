"""`memory.jsonl` of the reference memory server: entities with observations, and relations.

They become what the graph tools of our own MCP server keep, so that the same tools go on with them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

from lamina.importing.formats.items import Found, Item, Left, text_of

NAME: Final = "server-memory"


def is_wanted(value: dict[str, Any]) -> bool:
    """Whether this is a line of such a file."""
    return value.get("type") in ("entity", "relation")


def items(found: Iterable[Found | Left]) -> Iterator[Item | Left]:
    """The entities and relations of a file, line by line."""
    seen: Counter[str] = Counter()
    for one in found:
        if isinstance(one, Left):
            yield one
        elif not isinstance(one.value, dict) or not is_wanted(one.value):
            yield Left(one.place, "neither an entity nor a relation")
        elif one.value["type"] == "relation":
            yield _relation(one)
        else:
            yield _entity(one, seen)


def _entity(found: Found, seen: Counter[str]) -> Item | Left:
    name, sort = text_of(found.value.get("name")), text_of(found.value.get("entityType"))
    said = found.value.get("observations")
    if not name or not isinstance(said, list | type(None)):
        return Left(found.place, "an entity without a name, or without a list of observations")
    observed = list(dict.fromkeys(filter(None, map(text_of, said or ()))))
    seen[name] += 1
    # The server keeps two of one name, if one call made them.
    again = (str(seen[name]),) if seen[name] > 1 else ()
    return Item(
        place=found.place, identity=("entity", name, *again), kind="entity",
        key=None if again else name,
        text="\n".join([_named(name, sort), *(f"- {one}" for one in observed)]),
        data={"name": name, "entityType": sort, "observations": observed},
    )  # fmt: skip


def _named(name: str, sort: str) -> str:
    return f"{name} ({sort})" if sort else name


def _relation(found: Found) -> Item | Left:
    one, how, other = (text_of(found.value.get(name)) for name in ("from", "relationType", "to"))
    if not (one and how and other):
        return Left(found.place, "a relation without `from`, `to` and `relationType`")
    return Item(
        place=found.place, identity=("relation", one, how, other), kind="relation",
        key=f"{one} | {how} | {other}", text=f"{one} {how} {other}",
        data={"from": one, "to": other, "relationType": how},
    )  # fmt: skip
