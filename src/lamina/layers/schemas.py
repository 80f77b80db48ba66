"""Key conventions of the blackboard: declared for a namespace, and checked in it alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina.core.names import check_key
from lamina.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lamina.core.record import Record

SCHEMA: Final = "schema"
_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "text": str, "number": (int, float), "boolean": bool, "list": list, "object": dict,
}  # fmt: skip
_NAMED: Final = re.compile(r"\\\{([a-z_]+)\\\}")


@dataclass(frozen=True, slots=True)
class Schema:
    """The keys of a namespace, as `task:{id}:status`, each with the type of its value."""

    keys: Mapping[str, str]
    """The type is `text`, `number`, `boolean`, `list`, `object` or `any`."""

    def __post_init__(self) -> None:
        for key, kind in self.keys.items():
            if kind != "any" and kind not in _TYPES:
                raise InvalidInputError(
                    f"`schema` gives {key!r:.60} the type {kind!r:.40}",
                    remedy=f"Use one of: any, {', '.join(_TYPES)}",
                )

    def to_data(self) -> dict[str, Any]:
        """The schema as a record keeps it."""
        return dict(self.keys)

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> Schema:
        """The schema that a record keeps."""
        return cls(dict(data))


def declared(record: Record) -> dict[str, dict[str, str]]:
    """What a record declares, by namespace, as far as it can be read as that."""
    found = record.data.get("namespaces")
    spaces = found.items() if isinstance(found, dict) else ()
    return {
        name: {key: kind for key, kind in keys.items() if kind == "any" or kind in _TYPES}
        for name, keys in spaces
        if isinstance(keys, dict)
    }


def check_namespace(namespace: object) -> str:
    """Return how the keys of a namespace begin, as `task:`."""
    if isinstance(namespace, str) and namespace.endswith(":"):
        return check_key(namespace)
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
    return re.fullmatch(_NAMED.sub("[^:]+", re.escape(pattern)), key) is not None


def _is(kind: str, value: object) -> bool:
    if kind == "any":
        return True
    return isinstance(value, _TYPES[kind]) and (kind == "boolean") == isinstance(value, bool)
