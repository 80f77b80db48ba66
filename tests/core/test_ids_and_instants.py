"""Ids sort by the time they were made; instants are written so that text sorts as time does."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.core.ids import check_id, is_id, new_id
from lamina.core.instants import after, check_instant, from_text, looking_back, to_text
from lamina.errors import InvalidInputError

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MILLISECONDS = st.integers(0, 2**48 - 1)
ENTROPY = st.binary(min_size=10, max_size=10)
INSTANTS = st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=-9))])).filter(
    lambda instant: 2 < instant.year < 9998
)


@given(MILLISECONDS, ENTROPY, MILLISECONDS, ENTROPY)
def test_ids_sort_by_time_then_by_chance(one: int, a: bytes, other: int, b: bytes) -> None:
    first, second = new_id(one, a), new_id(other, b)
    assert is_id(first)
    assert (first < second) == ((one, a) < (other, b))
    assert (first == second) == ((one, a) == (other, b))


def test_an_id_is_26_plain_characters() -> None:
    assert new_id(0, bytes(10)) == "0" * 26
    assert new_id(2**48 - 1, b"\xff" * 10) == "7" + "z" * 25


@pytest.mark.parametrize(
    "text",
    ["", "0" * 25, "0" * 27, "8" + "0" * 25, "0" * 25 + "u", "0" * 25 + "A", "0" * 26 + "\n",
     "0" * 25 + "i", " " + "0" * 25, "../" + "0" * 23, None, 7, b"0" * 26],
)  # fmt: skip
def test_what_is_not_an_id_is_refused(text: object) -> None:
    with pytest.raises(InvalidInputError, match="tx"):
        check_id(text, "tx")


@given(INSTANTS, INSTANTS)
def test_the_text_of_instants_sorts_as_they_do(one: datetime, other: datetime) -> None:
    assert (to_text(one) < to_text(other)) == (one < other)
    assert from_text(to_text(one)) == one


@pytest.mark.parametrize(
    ("instant", "text"),
    [
        (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00.000000Z"),
        (datetime(9999, 12, 31, 23, 59, 59, 999999, UTC), "9999-12-31T23:59:59.999999Z"),
        (datetime(999, 2, 3, 4, 5, 6, 7, UTC), "0999-02-03T04:05:06.000007Z"),
        (
            datetime(2026, 3, 1, 1, tzinfo=timezone(timedelta(hours=2))),
            "2026-02-28T23:00:00.000000Z",
        ),
    ],
)
def test_an_instant_has_one_fixed_width_text(instant: datetime, text: str) -> None:
    assert to_text(instant) == text
    assert from_text(text) == instant


@pytest.mark.parametrize(
    "value",
    ["2026-03-01T12:00:00Z", "2026-03-01T13:00:00+01:00", "2026-03-01 12:00+00:00", NOON,
     NOON.astimezone(timezone(timedelta(hours=5, minutes=45)))],
)  # fmt: skip
def test_an_instant_with_a_zone_is_taken_in_utc(value: object) -> None:
    assert check_instant(value, "expires") == NOON
    assert check_instant(value, "expires").tzinfo is UTC


@pytest.mark.parametrize(
    "value",
    ["2026-03-01T12:00:00", "2026-03-01", "noon", "", "12:00Z", "2026-13-01T00:00:00Z", None, 0,
     1772366400, True, NOON.date(), NOON.replace(tzinfo=None), "0001-01-01T00:00:00+14:00",
     "9999-12-31T23:59:59-12:00", "2026-03-01T12:00:00Z; drop", "\0"],
)  # fmt: skip
def test_a_time_that_two_machines_could_read_differently_is_refused(value: object) -> None:
    with pytest.raises(InvalidInputError, match="expires"):
        check_instant(value, "expires")


@pytest.mark.parametrize(
    ("span", "delta"),
    [("45s", timedelta(seconds=45)), ("30m", timedelta(minutes=30)), ("12h", timedelta(hours=12)),
     ("7d", timedelta(days=7)), ("4w", timedelta(weeks=4)), (" 0s ", timedelta())],
)  # fmt: skip
def test_a_span_is_a_number_and_a_unit(span: str, delta: timedelta) -> None:
    assert after(NOON, span, "expires") == NOON + delta


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("2026-02-27", "2026-02-27T23:59:59.999999Z"),
        ("2026-03-01", "2026-03-01T12:00:00.000000Z"),
        (" 2026-03-02 ", "2026-03-02T23:59:59.999999Z"),
        ("7d", "2026-02-22T12:00:00.000000Z"),
        ("2026-03-01T12:00:00Z", "2026-03-01T12:00:00.000000Z"),
    ],
)
def test_a_day_is_meant_to_its_end_and_today_until_now(value: str, meant: str) -> None:
    assert to_text(looking_back(value, NOON, "as_of")) == meant


@pytest.mark.parametrize("value", ["2026-02-30", "0000-01-01", "2026-3-1", "2026-03-01T12:00:00"])
def test_what_is_no_day_or_has_no_zone_is_refused_with_a_way_out(value: str) -> None:
    with pytest.raises(InvalidInputError, match="as_of") as refused:
        looking_back(value, NOON, "as_of")
    assert "2026-03-01" in refused.value.remedy


@pytest.mark.parametrize(
    "span", ["", "d", "7", "7 d", "-7d", "7y", "1.5h", "7d7d", "7D", "9" * 10 + "s", "999999999w"]
)
def test_what_is_not_a_span_is_refused(span: str) -> None:
    with pytest.raises(InvalidInputError, match="expires"):
        after(NOON, span, "expires")
