"""Filters and reach as SQL. Every value, and every field name inside `data`, is a parameter.

`lamina.core.filters.matches` is what these predicates must mean, in every database.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf, nextafter
from typing import Final

from lamina.core import canonical
from lamina.core.access import EVERYTHING, Grant, Reach
from lamina.core.filters import Condition, Filter, Op, Scalar
from lamina.core.instants import to_text
from lamina.stores.sql.driver import Value

_RECORD: Final = frozenset(("id", "scope", "layer", "key", "created_at"))
_COMPARE: Final = {Op.EQ: "=", Op.GT: ">", Op.GTE: ">=", Op.LT: "<", Op.LTE: "<="}
_BESIDE: Final = {Op.GT: ">", Op.GTE: ">", Op.LT: "<=", Op.LTE: "<="}
"""How to compare with the greatest double below a number that no double equals."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A piece of SQL with its parameters, in order."""

    sql: str
    parameters: tuple[Value, ...] = ()


def column(field: str) -> str:
    """The column of a record's field; fields were checked when the filter was parsed."""
    return f"r.{field}" if field in _RECORD else f"v.{field}"


# As a value and not as a word: SQLite does away with what is plainly false before it looks for the
# index that it was told to use, and then finds no way.
_FALSE: Final = Predicate("? <> 0", (0,))


def everything(reach: Reach, where: Filter, live_at: datetime | None) -> Predicate:
    """All that a read demands of a row."""
    parts = [_within(reach), *(_condition(one) for one in where.conditions)]
    if live_at is not None:
        parts.append(alive(live_at))
    return _joined(parts, "and")


def alive(live_at: datetime | None) -> Predicate:
    """Whether a row is current and its time has not run out; at no time, all are."""
    if live_at is None:
        return Predicate("true")
    sql = "(v.state = 'current' and (v.expires_at is null or v.expires_at > ?))"
    return Predicate(sql, (to_text(live_at),))


def _within(reach: Reach) -> Predicate:
    return _joined([_grant(grant) for grant in reach.grants], "or")


def _grant(grant: Grant) -> Predicate:
    if grant == EVERYTHING.grants[0]:
        return Predicate("true")
    layers = sorted(grant.layers)
    in_layers = Predicate(f"r.layer in ({_marks(layers)})", tuple(layers))
    if grant.scope is None:
        return in_layers
    if not grant.subtree:
        return _joined([in_layers, Predicate("r.scope = ?", (grant.scope,))], "and")
    # `0` is the character after `/`: a range, because LIKE would read `_` in a name as any letter.
    below = "(r.scope = ? or r.scope > ? and r.scope < ?)"
    bounds = (grant.scope, f"{grant.scope}/", f"{grant.scope}0")
    return _joined([in_layers, Predicate(below, bounds)], "and")


def _condition(condition: Condition) -> Predicate:
    if condition.field == "data":
        return _in_data(condition)
    if condition.field == "tags":
        wanted = _listed(condition.value)
        if not wanted:
            return _FALSE
        sql = f"exists (select 1 from json_each(v.tags) where value in ({_marks(wanted)}))"
        there = [_holds("v.tags", str(one)) for one in wanted]
        return _joined([_joined(there, "or"), Predicate(sql, wanted)], "and")
    return _on_column(column(condition.field), condition.op, condition.value)


def _on_column(name: str, op: Op, value: Scalar | tuple[Scalar, ...]) -> Predicate:
    if isinstance(value, tuple):
        given = [one for one in value if one is not None]
        listed = Predicate(f"coalesce({name} in ({_marks(given)}), false)", tuple(given))
        absent = [Predicate(f"{name} is null")] if len(given) < len(value) else []
        return _joined([listed, *absent] if given else absent, "or")
    match op:
        case Op.EQ if value is None:
            return Predicate(f"{name} is null")
        case Op.EQ:
            # Not `is`: an index over what is not null serves only where null cannot be meant.
            return Predicate(f"{name} = ?", (value,))
        case Op.NE:
            return Predicate(f"{name} is distinct from ?", (value,))
        case Op.PREFIX:
            return Predicate(f"substr({name}, 1, cast(? as integer)) = ?", (len(str(value)), value))
        case _ if value is None:
            return _FALSE
        case _:
            return Predicate(f"coalesce({name} {_COMPARE[op]} ?, false)", (value,))


def _in_data(condition: Condition) -> Predicate:
    op, value = condition.op, condition.value
    match op:
        case Op.ANY:
            return _any_in_data(condition.path, _listed(value))
        case Op.IN:
            inside = _along(condition.path, _member("%s", _listed(value)))
            absent = Condition("data", condition.path, Op.EQ, None)
            parts = [inside] + ([_in_data(absent)] if None in _listed(value) else [])
            return _joined(parts, "or")
        case Op.NE:
            equal = _in_data(Condition("data", condition.path, Op.EQ, value))
            return Predicate(f"not {equal.sql}", equal.parameters)
        case Op.EQ if value is None:
            present = _along(condition.path, Predicate("%s.type <> 'null'"))
            return Predicate(f"not {present.sql}", present.parameters)
        case Op.EQ if not isinstance(value, tuple):
            return _along(condition.path, _equals("%s", value))
        case Op.PREFIX:
            test = Predicate(
                "%s.type = 'text' and substr(%s.atom, 1, cast(? as integer)) = ?",
                (len(str(value)), str(value)),
            )
            return _along(condition.path, test)
        case _:
            return _along(condition.path, _compares("%s", op, value))


def _any_in_data(path: tuple[str, ...], wanted: tuple[Scalar, ...]) -> Predicate:
    tests = _member("item", wanted)
    listed = "case when %s.type = 'array' then %s.value end"
    sql = f"exists (select 1 from json_each({listed}) item where {tests.sql})"
    return _along(path, Predicate(sql, tests.parameters))


def _along(path: tuple[str, ...], test: Predicate) -> Predicate:
    """Whether `data` holds a value at the path for which the test is true.

    The guard by type keeps text that looks like JSON from being read as JSON.
    """
    tables, source = [], "v.data"
    for depth, _ in enumerate(path):
        tables.append(f"json_each({source}) d{depth}")
        source = f"case when d{depth}.type = 'object' then d{depth}.value end"
    names = " and ".join(f"d{depth}.key = ?" for depth, _ in enumerate(path))
    last = f"d{len(path) - 1}"
    found = f"select 1 from {', '.join(tables)} where {names} and {test.sql.replace('%s', last)}"
    names_there = [_holds("v.data", name) for name in path]
    return _joined([*names_there, Predicate(f"exists ({found})", (*path, *test.parameters))], "and")


def _holds(column: str, text: str) -> Predicate:
    """Whether JSON may hold a text at all: most of it does not, and to take it apart is dear."""
    return Predicate(f"instr({column}, ?) > 0", (canonical.dumps(text),))


def _equals(name: str, value: Scalar) -> Predicate:
    if value is None:
        return Predicate(f"{name}.type = 'null'")
    if isinstance(value, bool):
        return Predicate(f"{name}.type = '{'true' if value else 'false'}'")
    return _compares(name, Op.EQ, value)


def _member(name: str, values: tuple[Scalar, ...]) -> Predicate:
    """Whether the value is one of these, type for type."""
    texts = tuple(one for one in values if isinstance(one, str))
    listed = Predicate(f"{name}.type = 'text' and {name}.atom in ({_marks(texts)})", texts)
    rest = [_equals(name, one) for one in values if not isinstance(one, str)]
    return _joined([listed, *rest] if texts else rest, "or")


def _compares(name: str, op: Op, value: Scalar | tuple[Scalar, ...]) -> Predicate:
    if value is None or isinstance(value, bool | tuple):
        return _FALSE
    if isinstance(value, str):
        return Predicate(f"{name}.type = 'text' and {name}.atom {_COMPARE[op]} ?", (value,))
    return _joined([_whole(name, op, value), _broken(name, op, value)], "or")


def _whole(name: str, op: Op, value: float) -> Predicate:
    """Compare an integer in `data` with a number, both exactly."""
    # Few filters name a number, and the module takes longer to load than most reads.
    from decimal import Decimal

    sql = f"case when {name}.type = 'integer' then cast({name}.atom as numeric) end"
    return Predicate(f"{sql} {_COMPARE[op]} cast(? as numeric)", (format(Decimal(value), "f"),))


def _broken(name: str, op: Op, value: float) -> Predicate:
    """Compare a number with a point in `data` with another, exactly: it is a double."""
    below = _greatest_double(value)
    if below != value and op is Op.EQ:
        return _FALSE
    compared = _COMPARE[op] if below == value else _BESIDE[op]
    sql = f"case when {name}.type = 'real' then cast({name}.atom as double precision) end"
    return Predicate(f"{sql} {compared} cast(? as double precision)", (below,))


def _greatest_double(value: float) -> float:
    """The greatest double that is not above a number, which may be a large integer."""
    near = float(value)
    return near if near <= value else nextafter(near, -inf)


def _joined(parts: Sequence[Predicate], word: str) -> Predicate:
    if not parts:
        return Predicate("true") if word == "and" else _FALSE
    sql = f"({f' {word} '.join(part.sql for part in parts)})"
    return Predicate(sql, tuple(value for part in parts for value in part.parameters))


def _listed(value: Scalar | tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    return value if isinstance(value, tuple) else (value,)


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
