"""Canonical JSON takes every JSON value, gives it one spelling, and refuses everything else."""

import json
import math
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from decimal import Decimal
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.core import canonical
from lamina.core.canonical import MAX_BYTES, MAX_DEPTH, MAX_INTEGER
from lamina.errors import InvalidInputError


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Point(NamedTuple):
    x: int
    y: int


class Liar(str):
    """Says something else when it is asked what it says."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\0 not what was checked"


class Number(float):
    def __float__(self) -> float:
        return math.nan


class Endless(Mapping[str, int]):
    """An object with more names than it admits to."""

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[str]:
        return map(str, range(2 * MAX_BYTES))

    def __getitem__(self, name: str) -> int:
        return 0


def _deep(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value


def _itself() -> Any:
    value: list[Any] = []
    value.append(value)
    return value


def _bomb() -> Any:
    """A few references that would be more values than there are atoms."""
    value: Any = "boom"
    for _ in range(60):
        value = [value] * 10
    return value


def _wide_bomb() -> Any:
    value: Any = [0] * 100_000
    for _ in range(20):
        value = [value] * 100_000
    return value


HOSTILE: dict[str, Any] = {
    "not a number": math.nan,
    "infinity": math.inf,
    "minus infinity inside": {"a": [1, -math.inf]},
    "lone surrogate": "half a \ud83d character",
    "lone surrogate as name": {"\udc00": 1},
    "NUL": "a\0b",
    "NUL as name": {"\0": 1},
    "number as name": {1: "one"},
    "null as name": {None: 1},
    "truth as name": {True: 1},
    "bytes": b"raw",
    "set": {1, 2},
    "object": object(),
    "complex": 1j,
    "decimal": Decimal("1.5"),
    "generator": (n for n in (1, 2)),
    "one level too many": _deep(MAX_DEPTH + 1),
    "absurdly deep": _deep(100_000),
    "itself": _itself(),
    "bomb": _bomb(),
    "wide bomb": _wide_bomb(),
    "endless": Endless(),
    "64 bits and one": MAX_INTEGER + 1,
    "minus 64 bits": -MAX_INTEGER - 1,
    "5,000 digits": 10**5000,
    "too large": "x" * (MAX_BYTES + 1),
    "too large together": ["x" * 1024] * 1025,
    "too long a name": {"n" * 1025: 1},
}


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInputError, match="data"):
        canonical.check({"inner": value}, "data")


def test_the_limits_themselves_are_allowed() -> None:
    for value in (_deep(MAX_DEPTH), MAX_INTEGER, -MAX_INTEGER, "x" * (MAX_BYTES - 2), 5e-324):
        assert canonical.check(value, "data") == value


def test_only_plain_types_outlive_the_call() -> None:
    given = OrderedDict(
        colour=Colour.RED, level=Level.HIGH, point=Point(1, 2), more=MappingProxyType({"a": True})
    )
    clean = canonical.check(given, "data")
    assert clean == {"colour": "red", "level": 3, "point": [1, 2], "more": {"a": True}}
    kinds = [type(value) for value in (clean, *clean.values())]
    assert kinds == [dict, str, int, list, dict]
    assert type(clean["more"]["a"]) is bool


def test_a_value_that_lies_about_itself_is_taken_as_checked() -> None:
    clean = canonical.check({Liar("name"): Liar("text"), "n": Number(1.5)}, "data")
    assert clean == {"name": "text", "n": 1.5}
    assert {type(item) for item in (*clean, *clean.values())} == {str, float}


def test_the_copy_shares_nothing_with_what_was_passed() -> None:
    given: dict[str, Any] = {"list": [1], "object": {"a": 1}}
    clean = canonical.check(given, "data")
    given["list"].append(2)
    given["object"]["b"] = 2
    assert clean == {"list": [1], "object": {"a": 1}}


def test_an_error_says_where() -> None:
    with pytest.raises(InvalidInputError, match=r"data\.a\[1\]\.b"):
        canonical.check({"a": [0, {"b": math.nan}]}, "data")


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}', '{"a": {"b": 1, "b": 1}}', "NaN", "[Infinity]", '{"a": -Infinity}',
        "", "{", "nul", "{'a': 1}", "[1,]", "[" * 100_000, '{"a":' * 100_000, "1" * 5_000,
        "-" + "9" * 19, str(MAX_INTEGER + 1), b"\xff\xfe", '"\x01"',
    ],
)  # fmt: skip
def test_text_that_is_not_one_json_value_is_refused(text: str | bytes) -> None:
    with pytest.raises(InvalidInputError, match="body"):
        canonical.loads(text, "body")


def test_one_value_has_one_spelling() -> None:
    one = {"b": [1, 1.0, True, None], "a": "é", "é": {}}
    other = {"é": {}, "a": "é", "b": [1, 1.0, True, None]}
    assert canonical.dumps(one) == canonical.dumps(other)
    assert canonical.dumps(one) == '{"a":"é","b":[1,1.0,true,null],"é":{}}'


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-MAX_INTEGER, MAX_INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["a", "é", '"']), inner),
    max_leaves=12,
)


@given(_VALUES)
def test_what_is_accepted_comes_back_to_the_byte(value: Any) -> None:
    clean = canonical.check(value, "data")
    text = canonical.dumps(clean)
    assert canonical.dumps(canonical.loads(text, "data")) == text
    assert json.loads(text) == value


@given(st.recursive(st.just(math.nan) | st.binary() | st.just("\ud800"), st.lists, max_leaves=5))
def test_nothing_but_our_own_error_comes_out(value: Any) -> None:
    try:
        canonical.check(value, "data")
    except InvalidInputError as error:
        assert len(str(error)) < 500  # noqa: PT017  # an empty list is fine and raises nothing
