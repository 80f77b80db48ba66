"""A clock is believed within reason: neither years ahead of the store nor years behind it."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.core.timekeeping import LEAP, accepted_in, believed, check_accepted, is_plausible
from lamina.errors import InvalidInputError

NEWEST = datetime(2026, 11, 15, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
TEN_YEARS = timedelta(days=3652)
instants = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))


def test_a_store_that_has_seen_nothing_believes_any_clock() -> None:
    for now in (NEWEST - TEN_YEARS, NEWEST, NEWEST + TEN_YEARS):
        assert believed(now, None) == now
        assert believed(now, None, NEWEST) == now


@pytest.mark.parametrize("off", [-LEAP, -SECOND, timedelta(), SECOND, LEAP])
def test_within_two_years_the_clock_is_taken_at_its_word(off: timedelta) -> None:
    assert believed(NEWEST + off, NEWEST) == NEWEST + off


@pytest.mark.parametrize("off", [-TEN_YEARS, -LEAP - SECOND, LEAP + SECOND, TEN_YEARS])
def test_beyond_that_time_stands_still_at_the_newest_change(off: timedelta) -> None:
    assert believed(NEWEST + off, NEWEST) == NEWEST


def test_someone_may_vouch_for_a_clock() -> None:
    accepted = NEWEST + TEN_YEARS
    assert believed(accepted + LEAP, NEWEST, accepted) == accepted + LEAP
    # Beyond that it has run wild again, and what had run out by then stays run out.
    assert believed(accepted + LEAP + SECOND, NEWEST, accepted) == accepted


def test_vouching_for_the_past_or_the_far_future_moves_nothing_by_itself() -> None:
    for accepted in (NEWEST - TEN_YEARS, NEWEST + TEN_YEARS):
        assert believed(NEWEST + SECOND, NEWEST, accepted) == NEWEST + SECOND
        assert believed(NEWEST - TEN_YEARS, NEWEST, accepted) == NEWEST


@given(instants, instants, st.none() | instants)
def test_what_is_believed_is_near_what_was_seen(
    now: datetime, newest: datetime, accepted: datetime | None
) -> None:
    found = believed(now, newest, accepted)
    assert found in (now, newest, accepted)
    assert any(seen and abs(found - seen) <= LEAP for seen in (newest, accepted)) or (
        # Someone vouched for a time that the clock has not reached yet.
        accepted is not None and newest <= found <= accepted
    )
    if is_plausible(now, newest):
        assert found == now


def test_what_was_vouched_for_is_kept_as_utc() -> None:
    kept = check_accepted("2036-01-01T02:00:00+02:00")
    assert kept == "2036-01-01T00:00:00.000000Z"
    assert accepted_in(kept) == datetime(2036, 1, 1, tzinfo=UTC)
    assert accepted_in(None) is accepted_in("none") is None


@pytest.mark.parametrize("value", ["", "now", "2036-01-01", "2036-01-01T00:00:00", "10y"])
def test_what_is_no_instant_cannot_be_vouched_for(value: str) -> None:
    with pytest.raises(InvalidInputError, match=r"clock\.accept"):
        check_accepted(value)
