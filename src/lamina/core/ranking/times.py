"""Time words: "last Tuesday", "in March 2024", "two weeks ago", as spans of time.

A span without a year ("in June", "on 8 May") is any June, any 8 May: people ask about the past, and
which one they mean the other words of the question tell.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
         "august aug", "september sept sep", "october oct", "november nov", "december dec"), 1
    )
    for name in names.split()
}  # fmt: skip
_WEEKDAYS: Final = {
    name: number
    for number, names in enumerate(
        ("monday mon", "tuesday tues tue", "wednesday wed", "thursday thurs thu", "friday fri",
         "saturday sat", "sunday sun")
    )
    for name in names.split()
}  # fmt: skip
_SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_NUMBERS: Final = {
    word: number
    for number, words in enumerate(
        ("", "a an one", "two couple", "three", "four", "five", "six", "seven", "eight", "nine",
         "ten", "eleven", "twelve")
    )
    for word in words.split()
}  # fmt: skip
_DAYS: Final = {"day": 1, "night": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365}
_LONGEST: Final = 3650
"""Beyond ten years "ago" is history, not memory."""

_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_WEEKDAY: Final = "|".join(sorted(_WEEKDAYS, key=len, reverse=True))
_SEASON: Final = "|".join(_SEASONS)
_COUNT: Final = rf"\d{{1,4}}|{'|'.join(_NUMBERS)}"
_UNIT: Final = "|".join(_DAYS)
_YEAR: Final = r"(?:19|20)\d\d"
_DAY: Final = r"(?:[12]\d|3[01]|0?[1-9])"

_PATTERN: Final = re.compile(
    rf"""
      \b(?P<iso>{_YEAR}[-/](?:1[0-2]|0?[1-9])(?:[-/]{_DAY})?)\b
    | \b(?P<d1>{_DAY})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m1>{_MONTH})\b\.?(?:,?\s+(?P<y1>{_YEAR})\b)?
    | \b(?P<m2>{_MONTH})\.?\s+(?P<d2>{_DAY})(?:st|nd|rd|th)?\b(?!\s*[:%])(?:,?\s+(?P<y2>{_YEAR})\b)?
    | \b(?P<m3>{_MONTH})\.?,?\s+(?:of\s+)?(?P<y3>{_YEAR})\b
    | \b(?P<s1>{_SEASON})\s+(?:of\s+)?(?P<y4>{_YEAR})\b
    | \b(?P<ago>{_COUNT})\s+(?:of\s+)?(?P<u1>{_UNIT})s?\s+(?:ago|back|earlier)\b
    | \b(?:last|past|previous|recent)\s+(?P<n>{_COUNT})\s+(?P<u2>{_UNIT})s?\b
    | \b(?P<which>last|past|previous|this)\s+
      (?P<what>week-?end|{_UNIT}|{_WEEKDAY}|{_MONTH}|{_SEASON}|morning|afternoon|evening)\b
    | \b(?P<word>day\s+before\s+yesterday|yesterday|today|tonight|tomorrow)\b
    | \b(?:on|since)\s+(?P<wd>{_WEEKDAY})\b
    | \b(?:in|during|since|by|until|throughout|around|early|late|mid|of)[\s-]+
      (?:(?P<y5>{_YEAR})\b(?![-/]\d)|(?P<m4>{_MONTH})\b(?!\.?,?\s+(?:of\s+)?\d))
    """,
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time: from `start` to before `end`, or a month or day of any year."""

    start: datetime | None = None
    end: datetime | None = None
    month: int | None = None
    day: int | None = None

    def nearness(self, instant: datetime) -> float:
        """1 inside, a half for what was said in the week after, when people tell of it, else 0."""
        if self._holds(instant):
            return 1.0
        week = (instant - timedelta(days=days) for days in range(1, 8) if instant.year > 1)
        return 0.5 if any(self._holds(day) for day in week) else 0.0

    def _holds(self, instant: datetime) -> bool:
        if self.start is not None and self.end is not None:
            return self.start <= instant < self.end
        return instant.month == self.month and self.day in (None, instant.day)


def spans_of(text: str, now: datetime) -> tuple[Span, ...]:
    """The spans of time that a text names, in order; relative ones are resolved against `now`."""
    found: dict[Span, None] = {}
    for match in _PATTERN.finditer(text):
        for span in _read(match, now.astimezone(UTC)):
            found[span] = None
    return tuple(found)


def _read(match: re.Match[str], now: datetime) -> Iterator[Span]:
    part = {name: value.lower() for name, value in match.groupdict().items() if value}
    try:
        if "iso" in part:
            yield _iso(part["iso"])
        elif "ago" in part or "n" in part or "which" in part or "word" in part or "wd" in part:
            yield from _relative(part, now)
        else:
            yield _dated(part)
    except (ValueError, OverflowError):
        # There is no 31 February, and nothing before the year 1.
        return


def _iso(text: str) -> Span:
    numbers = [int(number) for number in re.split("[-/]", text)]
    if len(numbers) == 3:
        return _days(datetime(*numbers, tzinfo=UTC), 1)  # type: ignore[misc, arg-type]
    return _month(numbers[0], numbers[1])


def _dated(part: dict[str, str]) -> Span:
    for name in ("1", "2"):
        if f"m{name}" in part:
            month, day = _MONTHS[part[f"m{name}"]], int(part[f"d{name}"])
            if f"y{name}" in part:
                return _days(datetime(int(part[f"y{name}"]), month, day, tzinfo=UTC), 1)
            return Span(month=month, day=day)
    if "m3" in part:
        return _month(int(part["y3"]), _MONTHS[part["m3"]])
    if "s1" in part:
        return _season(int(part["y4"]), part["s1"])
    if "y5" in part:
        return _year(int(part["y5"]))
    return Span(month=_MONTHS[part["m4"]])


def _relative(part: dict[str, str], now: datetime) -> Iterator[Span]:
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if "ago" in part:
        yield _ago(_count(part["ago"]), part["u1"], today)
    elif "n" in part:
        days = _count(part["n"]) * _DAYS[part["u2"]]
        if days <= _LONGEST:
            yield Span(today - timedelta(days=days), today + timedelta(days=1))
    elif "word" in part:
        back = {"yesterday": 1, "today": 0, "tonight": 0, "tomorrow": -1}
        yield _days(today - timedelta(days=back.get(part["word"], 2)), 1)
    elif "wd" in part:
        yield _days(today - timedelta(days=(today.weekday() - _WEEKDAYS[part["wd"]]) % 7), 1)
    else:
        yield _named(part["which"] == "this", part["what"].replace("-", ""), today)


def _ago(count: int, unit: str, today: datetime) -> Span:
    """Around a time so long ago: the longer ago, the less exactly people mean it."""
    days = count * _DAYS[unit]
    if days > _LONGEST:
        raise ValueError
    slack = timedelta(
        days={"day": 0, "night": 0, "week": 3, "fortnight": 4}.get(unit, days // 8 + 7)
    )
    middle = today - timedelta(days=days)
    return Span(middle - slack, middle + slack + timedelta(days=1))


def _named(this: bool, what: str, today: datetime) -> Span:
    """What "last week" or "this summer" is: the last one is the one before the running one."""
    monday = today - timedelta(days=today.weekday())
    if what in ("week", "fortnight"):
        return _days(monday if this else monday - timedelta(days=7), 7)
    if what == "weekend":
        return _days(monday + timedelta(days=5 if this else -2), 2)
    if what == "month":
        return _month(today.year, today.month if this else today.month - 1)
    if what == "year":
        return _year(today.year if this else today.year - 1)
    if what in _WEEKDAYS:
        back = (today.weekday() - _WEEKDAYS[what]) % 7
        return _days(today - timedelta(days=back or (0 if this else 7)), 1)
    if what in _MONTHS:
        return _last_month(what, today, this=this)
    if what in _SEASONS:
        return _last_season(what, today, this=this)
    return _days(today if this else today - timedelta(days=1), 1)


def _last_month(name: str, today: datetime, *, this: bool) -> Span:
    running = _MONTHS[name] < today.month or (this and _MONTHS[name] == today.month)
    return _month(today.year if running or this else today.year - 1, _MONTHS[name])


def _last_season(name: str, today: datetime, *, this: bool) -> Span:
    season = _season(today.year, name)
    over = season.end is not None and season.end <= today
    return season if this or over else _season(today.year - 1, name)


def _count(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBERS[text]


def _days(start: datetime, count: int) -> Span:
    return Span(start, start + timedelta(days=count))


def _month(year: int, month: int) -> Span:
    if month < 1:
        year, month = year - 1, month + 12
    start = datetime(year, month, 1, tzinfo=UTC)
    return Span(start, (start + timedelta(days=31)).replace(day=1))


def _season(year: int, name: str) -> Span:
    start = datetime(year, _SEASONS[name], 1, tzinfo=UTC)
    return Span(start, (start + timedelta(days=93)).replace(day=1))


def _year(year: int) -> Span:
    return Span(datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC))
