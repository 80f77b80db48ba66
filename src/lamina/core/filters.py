"""The filter language: which records a query wants, without ranking.

    {"kind": "decision", "tags": ["auth"], "importance": {"$gte": 0.7}, "data.status": "open"}

All conditions must hold. A plain value means equality; a list on `tags` (or on a list inside
`data`) means any of them; `$eq $ne $gt $gte $lt $lte $in $prefix` compare. `matches` is the
meaning of the language: every store's own compilation is tested against it.

Values compare within their JSON type only (text, number, boolean, null); across types nothing is
equal and nothing is less. A missing field is null.
"""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, TypeAlias

from lamina.core import canonical
from lamina.core.instants import check_instant, to_text
from lamina.core.record import Record
from lamina.errors import InvalidInputError

Scalar: TypeAlias = str | int | float | bool | None

TEXTS: Final = frozenset(
    ("id", "scope", "layer", "kind", "key", "state", "text", "trust", "source", "supersedes")
)
NUMBERS: Final = frozenset(("importance", "confidence", "tokens", "rev"))
INSTANTS: Final = frozenset(("created_at", "updated_at", "valid_from", "expires_at"))
FIELDS: Final = TEXTS | NUMBERS | INSTANTS | {"tags"}
ORDERABLE: Final = FIELDS - {"tags"}
MAX_CONDITIONS: Final = 64
MAX_LISTED: Final = 1000
_MAX_PATH: Final = 8


class Op(StrEnum):
    """One comparison of the language."""

    EQ = "$eq"
    NE = "$ne"
    GT = "$gt"
    GTE = "$gte"
    LT = "$lt"
    LTE = "$lte"
    IN = "$in"
    PREFIX = "$prefix"
    ANY = "any"
    """The plain list: the field is a list that holds one of these."""


_LISTING: Final = (Op.IN, Op.ANY)
"""The comparisons with several values."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One field compared with one value; `path` leads into `data`."""

    field: str
    path: tuple[str, ...]
    op: Op
    value: Scalar | tuple[Scalar, ...]

    def __post_init__(self) -> None:
        """Stores write the field into their own language, so it is checked however it was made."""
        if (self.field in FIELDS) is bool(self.path) or (self.field == "data") is not bool(
            self.path
        ):
            raise InvalidInputError(
                f"`where` names a field that records do not have: {self.field!r:.60}"
            )
        if len(self.path) > _MAX_PATH or (self.op in _LISTING) is not isinstance(self.value, tuple):
            raise InvalidInputError(
                f"`where` compares `{self.field}` by {self.op.value} with what does not go with it"
            )


@dataclass(frozen=True, slots=True)
class Filter:
    """A checked conjunction of conditions."""

    conditions: tuple[Condition, ...] = ()

    def names(self, field: str) -> bool:
        """Whether the filter says anything about a field."""
        return any(condition.field == field for condition in self.conditions)

    def allowed(self, field: str) -> frozenset[Scalar] | None:
        """The values that a field may have, where the filter lists them; `None` where not."""
        listed = [
            frozenset(_listed(condition.value))
            for condition in self.conditions
            if condition.field == field and condition.op in (Op.EQ, Op.IN)
        ]
        return frozenset.intersection(*listed) if listed else None

    def __and__(self, other: "Filter") -> "Filter":
        return Filter(self.conditions + other.conditions)


def parse(where: Mapping[str, Any] | Filter | None) -> Filter:
    """Check a filter and give it the form that stores compile."""
    if where is None:
        return Filter()
    if isinstance(where, Filter):
        return where
    if not isinstance(where, Mapping):
        raise InvalidInputError(
            "`where` must be a mapping", remedy='Write it like {"kind": "decision"}'
        )
    return bounded(
        Filter(tuple(c for name, value in where.items() for c in _conditions(name, value)))
    )


def bounded(where: Filter, times: int = 1) -> Filter:
    """The filter, unless it says more than anybody has to say, or so many times that."""
    conditions, listed = MAX_CONDITIONS * times, MAX_LISTED * times
    if len(where.conditions) > conditions:
        raise InvalidInputError(f"`where` has more than {conditions} conditions")
    if sum(len(_listed(one.value)) for one in where.conditions) > listed:
        raise _too_long(listed)
    return where


def _too_long(listed: int) -> InvalidInputError:
    return InvalidInputError(f"`where` lists more than {listed} values")


def matches(record: Record, where: Filter) -> bool:
    """Whether the record satisfies every condition: the reference for all stores."""
    return all(_holds(condition, _value_of(record, condition)) for condition in where.conditions)


def parse_order(order_by: str | None) -> tuple[str, bool] | None:
    """Read `field` (newest or greatest first) or `-field` (reversed) as (field, descending)."""
    if order_by is None:
        return None
    field = order_by.removeprefix("-") if isinstance(order_by, str) else order_by
    if field not in ORDERABLE:
        raise InvalidInputError(
            f"`order_by` is not a field to sort by: {order_by!r:.40}",
            remedy=f"Use one of: {', '.join(sorted(ORDERABLE))}; a leading - reverses",
        )
    return field, field == order_by


def order_key(record: Record, field: str) -> tuple[bool, Any]:
    """What to sort by: nulls are least, on every store."""
    value = getattr(record, field)
    value = to_text(value) if isinstance(value, datetime) else value
    return (value is not None, value if value is not None else "")


def _conditions(name: object, value: object) -> Iterable[Condition]:
    field, path = _field(name)
    if isinstance(value, Mapping):
        if not value:
            raise InvalidInputError(f"`where` compares {name!r:.40} with an empty object")
        for op_name, operand in value.items():
            op = _op(op_name)
            yield Condition(field, path, op, _operand(field, op, operand))
    elif isinstance(value, list | tuple | set | frozenset):
        if field not in ("tags", "data"):
            raise InvalidInputError(
                f"`where` compares {name!r:.40} with a list",
                remedy=f'Write {{"{name}": {{"$in": [...]}}}}',
            )
        yield Condition(field, path, Op.ANY, _operand(field, Op.ANY, value))
    elif field == "tags":
        yield Condition(field, path, Op.ANY, (_scalar(field, value),))
    else:
        yield Condition(field, path, Op.EQ, _scalar(field, value))


def _field(name: object) -> tuple[str, tuple[str, ...]]:
    if isinstance(name, str):
        canonical.check_text(name, "where", limit=1024)
        head, *path = name.split(".")
        if head in FIELDS and not path:
            return head, ()
        if head == "data" and path and all(path) and len(path) <= _MAX_PATH:
            return head, tuple(path)
    raise InvalidInputError(
        f"`where` names a field that records do not have: {name!r:.60}",
        remedy=f"Use one of: {', '.join(sorted(FIELDS))}, or data.NAME",
    )


def _op(name: object) -> Op:
    if isinstance(name, str) and name.startswith("$"):
        try:
            return Op(name)
        except ValueError:
            pass
    known = ", ".join(op.value for op in Op if op is not Op.ANY)
    raise InvalidInputError(
        f"`where` uses an unknown comparison: {name!r:.40}", remedy=f"Use one of: {known}"
    )


def _operand(field: str, op: Op, value: object) -> Scalar | tuple[Scalar, ...]:
    if op in _LISTING:
        if not isinstance(value, list | tuple | set | frozenset):
            raise InvalidInputError(f"`{op.value}` on `{field}` takes a list of values")
        if len(value) > MAX_LISTED:
            # Before anybody looks at each of them.
            raise _too_long(MAX_LISTED)
        return tuple(_scalar(field, item) for item in value)
    if field == "tags":
        raise InvalidInputError(
            f"`{op.value}` does not apply to `tags`", remedy='Write {"tags": ["one", "two"]}'
        )
    if op is Op.PREFIX and not (isinstance(value, str) and field not in NUMBERS | INSTANTS):
        raise InvalidInputError(f"`$prefix` on `{field}` takes text, on a field that holds text")
    return _scalar(field, value)


def _scalar(field: str, value: object) -> Scalar:
    if field in INSTANTS and value is not None:
        return to_text(check_instant(value, field))
    if isinstance(value, Mapping | list | tuple | set | frozenset):
        raise InvalidInputError(f"`where` compares `{field}` with a {type(value).__name__}")
    checked: Scalar = canonical.check(value, f"where.{field}")
    if field in ("key", "tags") and isinstance(checked, str):
        # As they are stored.
        checked = unicodedata.normalize("NFC", checked)
    if checked is None or field == "data":
        return checked
    wanted: type | tuple[type, ...] = (int, float) if field in NUMBERS else str
    if not isinstance(checked, wanted) or isinstance(checked, bool):
        noun = "a number" if field in NUMBERS else "text"
        raise InvalidInputError(f"`{field}` is compared with {value!r:.40}, which is not {noun}")
    return checked


def _value_of(record: Record, condition: Condition) -> Any:
    if condition.field != "data":
        value = getattr(record, condition.field)
        return to_text(value) if isinstance(value, datetime) else value
    found: Any = record.data
    for name in condition.path:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _holds(condition: Condition, found: Any) -> bool:
    op, wanted = condition.op, condition.value
    match op:
        case Op.ANY:
            held = found if isinstance(found, list | tuple) else ()
            return any(_same(item, value) for item in held for value in _listed(wanted))
        case Op.IN:
            return any(_same(found, value) for value in _listed(wanted))
        case Op.EQ:
            return _same(found, wanted)
        case Op.NE:
            return not _same(found, wanted)
        case Op.PREFIX:
            return isinstance(found, str) and found.startswith(str(wanted))
        case _:
            return _compares(op, found, wanted)


def _listed(value: Scalar | tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    return value if isinstance(value, tuple) else (value,)


def family(value: Any) -> str:
    """The JSON type: Python would otherwise call `True` equal to 1."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "text" if isinstance(value, str) else "other"


def _same(found: Any, wanted: Any) -> bool:
    return family(found) == family(wanted) != "other" and bool(found == wanted)


def _compares(op: Op, found: Any, wanted: Any) -> bool:
    if family(found) != family(wanted) or family(found) not in ("number", "text"):
        return False
    match op:
        case Op.GT:
            return bool(found > wanted)
        case Op.GTE:
            return bool(found >= wanted)
        case Op.LT:
            return bool(found < wanted)
        case _:
            return bool(found <= wanted)
