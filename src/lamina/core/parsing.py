"""A record read back from its one shape as JSON, with every field checked."""

from dataclasses import fields
from typing import Any, Final, TypeVar

from lamina.core import canonical
from lamina.core.draft import check_share
from lamina.core.ids import check_id
from lamina.core.instants import check_instant
from lamina.core.layers import check_kind_of, layer_named
from lamina.core.names import check_key, check_kind, check_name, check_tags
from lamina.core.record import Record, State, Trust
from lamina.core.scope import Scope
from lamina.errors import InvalidInputError

T = TypeVar("T", State, Trust)
_MOST: Final = 2**31
"""No record has been revised this often, nor says so much."""
_NAMES: Final = frozenset(field.name for field in fields(Record))


def parse_line(line: str) -> Record:
    """Read one exported line; every field is checked as if a stranger had written it."""
    value = canonical.loads(line, "line")
    if not isinstance(value, dict) or set(value) != _NAMES:
        found = set(value) if isinstance(value, dict) else set()
        odd = sorted(found ^ _NAMES)[:5]
        raise InvalidInputError(
            f"the line is not an exported record ({', '.join(odd) or 'no object'})",
            remedy="Import files that `lamina export` wrote",
        )
    layer = layer_named(value["layer"])
    return Record(
        id=check_id(value["id"]),
        scope=Scope.of(value["scope"]).path,
        layer=layer.name,
        kind=check_kind_of(layer, check_kind(value["kind"])),
        key=None if value["key"] is None else check_key(value["key"]),
        state=_choice(State, value["state"], "state"),
        text=canonical.check_text(value["text"], "text"),
        data=canonical.check(_object(value["data"]), "data"),
        tags=check_tags(value["tags"]),
        importance=check_share(value["importance"], "importance"),
        confidence=check_share(value["confidence"], "confidence"),
        trust=_choice(Trust, value["trust"], "trust"),
        source=check_name(value["source"], "source"),
        tokens=_whole(value["tokens"], "tokens", 0),
        created_at=check_instant(value["created_at"], "created_at"),
        updated_at=check_instant(value["updated_at"], "updated_at"),
        valid_from=_instant(value["valid_from"], "valid_from"),
        expires_at=_instant(value["expires_at"], "expires_at"),
        supersedes=None if value["supersedes"] is None else check_id(value["supersedes"]),
        rev=_whole(value["rev"], "rev", 1),
    )


def _choice(kinds: type[T], value: object, argument: str) -> T:
    try:
        return kinds(str(value))
    except ValueError:
        raise InvalidInputError(
            f"`{argument}` is not known: {value!r:.40}", remedy=f"Use one of: {', '.join(kinds)}"
        ) from None


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidInputError("`data` must be an object")
    return value


def _whole(value: object, argument: str, least: int) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= _MOST:
        return value
    raise InvalidInputError(f"`{argument}` must be a whole number from {least} to {_MOST}")


def _instant(value: object, argument: str) -> Any:
    return None if value is None else check_instant(value, argument)
