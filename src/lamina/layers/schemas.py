"""Key conventions of the blackboard: declared for a namespace, and checked in it alone."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lamina.core.names import check_key
from lamina.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lamina.core.record import Record

SCHEMA: Final = "schema"
_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "text": str, "number": (int, float), "boolean": bool, "list": list, "object": dict,
}  # fmt: skip
_NAMED: Final = re.compile(r"\{[a-z_]+\}")


@dataclass(frozen=True, slots=True)
class Schema:
    """The keys of a namespace, as `task:{id}:status`, each with the type of its value."""

    keys: Mapping[str, str]
    """The type is `text`, `number`, `boolean`, `list`, `object` or `any`."""

    def __post_init__(self) -> None:
        if not isinstance(self.keys, dict):
            raise InvalidInputError(f"`schema` must be an object, not {self.keys!r:.60}")
        for key, kind in self.keys.items():
            check_key(key, "schema")
            if kind != "any" and (not isinstance(kind, str) or kind not in _TYPES):
                raise InvalidInputError(
                    f"`schema` gives {key!r:.60} the type {kind!r:.40}",
                    remedy=f"Use one of: any, {', '.join(_TYPES)}",
                )


def check_schema(schema: object) -> Schema:
    """Return what can be declared."""
    if isinstance(schema, Schema):
        return schema
    raise InvalidInputError(
        f"`schema` is no schema: {schema!r:.60}",
        remedy='Write Schema({"task:{id}:status": "text"})',
    )


def declared(record: Record | None) -> dict[str, Schema]:
    """What a record of the board declares, by namespace.

    Any agent may have written it past this face, so what is no schema declares nothing.
    """
    said = record.data.get("namespaces") if record and record.kind == SCHEMA else None
    found: dict[str, Schema] = {}
    for name, keys in said.items() if isinstance(said, dict) else ():
        with suppress(InvalidInputError):
            found[check_namespace(name)] = Schema(keys)
    return found


def check_namespace(namespace: object) -> str:
    """Return how the keys of a namespace begin, as `task:`."""
    if isinstance(namespace, str) and namespace.endswith(":"):
        return check_key(namespace, "namespace")
    raise InvalidInputError(
        f"`namespace` must end with a colon, not be {namespace!r:.60}", remedy="Write `task:`"
    )


def drift(schemas: Mapping[str, Schema], key: str, value: object) -> Iterator[str]:
    """How a signal departs from what the namespaces that it is in declare."""
    for namespace, schema in schemas.items():
        if not key.startswith(namespace):
            continue
        kinds = [kind for pattern, kind in schema.keys.items() if _fits(pattern, key)]
        if not kinds:
            expected = ", ".join(sorted(schema.keys)) or "nothing"
            yield f"the key {key!r:.80} is none of those that `{namespace}` declares: {expected}"
        elif not any(_is(kind, value) for kind in kinds):
            yield f"the value of {key!r:.80} is {type(value).__name__}, not {' or '.join(kinds)}"


def _fits(pattern: str, key: str) -> bool:
    """Whether a key has the form of a pattern; `{id}` stands for anything but a colon."""
    wanted, given = pattern.split(":"), key.split(":")
    return len(wanted) == len(given) and all(map(_fits_part, wanted, given))


def _fits_part(pattern: str, part: str) -> bool:
    """The same between two colons.

    Step by step: as one expression, what a hostile agent declares could be tried for ever.
    """
    first, *rest = _NAMED.split(pattern)
    if not rest:
        return part == pattern
    *middle, last = rest
    if not part.startswith(first):
        return False
    at = len(first)
    for text in middle:
        at = part.find(text, at + 1)
        if at < 0:
            return False
        at += len(text)
    return part.endswith(last) and len(part) - len(last) > at


def _is(kind: str, value: object) -> bool:
    if kind == "any":
        return True
    return isinstance(value, _TYPES[kind]) and (kind == "boolean") == isinstance(value, bool)
