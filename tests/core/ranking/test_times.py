"""Time words become spans of time."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.core.ranking import Span, spans_of

NOW = datetime(2024, 5, 15, 12, 30, tzinfo=UTC)  # a Wednesday


def _day(year: int, month: int, day: int, days: int = 1) -> Span:
    start = datetime(year, month, day, tzinfo=UTC)
    return Span(start, start + timedelta(days=days))


def _until(start: tuple[int, int, int], end: tuple[int, int, int]) -> Span:
    return Span(datetime(*start, tzinfo=UTC), datetime(*end, tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("what did we do yesterday?", _day(2024, 5, 14)),
        ("the day before yesterday", _day(2024, 5, 13)),
        ("Today's plan", _day(2024, 5, 15)),
        ("tonight", _day(2024, 5, 15)),
        ("due tomorrow", _day(2024, 5, 16)),
        ("last night", _day(2024, 5, 14)),
        ("this morning", _day(2024, 5, 15)),
        ("last Tuesday", _day(2024, 5, 14)),
        ("last Wednesday", _day(2024, 5, 8)),
        ("on Friday", _day(2024, 5, 10)),
        ("on Wednesday", _day(2024, 5, 15)),
        ("this week", _day(2024, 5, 13, 7)),
        ("last week", _day(2024, 5, 6, 7)),
        ("last weekend", _day(2024, 5, 11, 2)),
        ("past week-end", _day(2024, 5, 11, 2)),
        ("last month", _until((2024, 4, 1), (2024, 5, 1))),
        ("this month", _until((2024, 5, 1), (2024, 6, 1))),
        ("last year", _until((2023, 1, 1), (2024, 1, 1))),
        ("last March", _until((2024, 3, 1), (2024, 4, 1))),
        ("last June", _until((2023, 6, 1), (2023, 7, 1))),
        ("last May", _until((2023, 5, 1), (2023, 6, 1))),
        ("this May", _until((2024, 5, 1), (2024, 6, 1))),
        ("last summer", _until((2023, 6, 1), (2023, 9, 1))),
        ("this summer", _until((2024, 6, 1), (2024, 9, 1))),
        ("summer of 2022", _until((2022, 6, 1), (2022, 9, 1))),
        ("winter 2022", _until((2022, 12, 1), (2023, 3, 1))),
        ("in the last 3 days", _until((2024, 5, 12), (2024, 5, 16))),
        ("past two weeks", _until((2024, 5, 1), (2024, 5, 16))),
        ("3 days ago", _day(2024, 5, 12)),
        ("two weeks ago", _until((2024, 4, 28), (2024, 5, 5))),
        ("a week ago", _until((2024, 5, 5), (2024, 5, 12))),
        ("a couple of days ago", _day(2024, 5, 13)),
        ("in March 2024", _until((2024, 3, 1), (2024, 4, 1))),
        ("Sept. 2023", _until((2023, 9, 1), (2023, 10, 1))),
        ("on 8 May 2023", _day(2023, 5, 8)),
        ("8th of May, 2023", _day(2023, 5, 8)),
        ("October 13, 2023", _day(2023, 10, 13)),
        ("October 13th 2023", _day(2023, 10, 13)),
        ("on 2024-03-05", _day(2024, 3, 5)),
        ("2024/3/5", _day(2024, 3, 5)),
        ("since 2024-02", _until((2024, 2, 1), (2024, 3, 1))),
        ("in 2023", _until((2023, 1, 1), (2024, 1, 1))),
        ("late 2019", _until((2019, 1, 1), (2020, 1, 1))),
        ("on 8 May", Span(month=5, day=8)),
        ("July 8 workshop", Span(month=7, day=8)),
        ("in June", Span(month=6)),
    ],
)
def test_a_time_is_read(text: str, span: Span) -> None:
    assert spans_of(text, NOW) == (span,)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "may I ask you something",
        "march through the field",
        "the second sun",
        "version 2024",
        "order 2023-99-99",
        "February 31, 2023",
        "900 years ago",
        "9999 weeks ago",
        "recently",
        "http/2",
    ],
)
def test_what_is_no_time_is_none(text: str) -> None:
    assert spans_of(text, NOW) == ()


def test_several_times_are_read_once_each_in_order() -> None:
    text = "between 3 May and 5 June, or was it on 3 May?"
    assert spans_of(text, NOW) == (Span(month=5, day=3), Span(month=6, day=5))


def test_last_month_in_january_is_december() -> None:
    january = datetime(2024, 1, 10, tzinfo=UTC)
    assert spans_of("last month", january) == (_until((2023, 12, 1), (2024, 1, 1)),)


def test_an_instant_is_inside_shortly_after_or_outside() -> None:
    [span] = spans_of("on 8 May 2023", NOW)
    assert span.nearness(datetime(2023, 5, 8, 23, 59, tzinfo=UTC)) == 1.0
    assert span.nearness(datetime(2023, 5, 12, tzinfo=UTC)) == 0.5
    assert span.nearness(datetime(2023, 5, 7, 23, tzinfo=UTC)) == 0.0
    assert span.nearness(datetime(2023, 5, 20, tzinfo=UTC)) == 0.0


def test_a_month_without_a_year_is_of_any_year() -> None:
    [span] = spans_of("in June", NOW)
    assert span.nearness(datetime(2019, 6, 30, tzinfo=UTC)) == 1.0
    assert span.nearness(datetime(2023, 7, 4, tzinfo=UTC)) == 0.5
    assert span.nearness(datetime(2023, 5, 31, tzinfo=UTC)) == 0.0


def test_the_first_days_of_time_are_no_error() -> None:
    assert Span(month=6).nearness(datetime(1, 1, 2, tzinfo=UTC)) == 0.0
    assert spans_of("3 days ago", datetime(1, 1, 1, tzinfo=UTC)) == ()


@given(st.text(), st.datetimes(timezones=st.just(UTC)))
def test_no_text_and_no_time_is_an_error(text: str, now: datetime) -> None:
    for span in spans_of(text, now):
        assert 0.0 <= span.nearness(now) <= 1.0
