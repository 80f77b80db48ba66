"""Instants: aware UTC datetimes inside, one fixed-width text outside.

The text sorts as the time does, so stores compare it without parsing.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from lamina.errors import InvalidInputError

_MANY_SECONDS: Final = 1e9
_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_SPAN: Final = re.compile(r"(\d{1,9})([smhdw])")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")


def to_text(instant: datetime) -> str:
    """Write an instant with microseconds and a `Z`."""
    return instant.astimezone(UTC).isoformat(timespec="microseconds")[:26] + "Z"


def from_text(text: str) -> datetime:
    """Read an instant that `to_text` wrote."""
    return datetime.fromisoformat(text)


def check_instant(value: object, argument: str, *, or_span: bool = False) -> datetime:
    """Accept an aware datetime or ISO text with a zone; anything else is refused.

    A naive time is refused because two machines would disagree on what it means.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            value = None
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise InvalidInputError(
            f"`{argument}` must be an instant with a time zone",
            remedy=f"Write it like 2026-03-01T12:00:00Z{', or a span like 7d' if or_span else ''}",
        )
    try:
        return value.astimezone(UTC)
    except (OverflowError, ValueError):
        raise InvalidInputError(f"`{argument}` is outside the years 1 to 9999") from None


def after(start: datetime, span: str, argument: str) -> datetime:
    """The instant a span such as `30m`, `12h` or `7d` after `start`."""
    try:
        return start + check_span(span, argument)
    except OverflowError:
        raise InvalidInputError(f"`{argument}` reaches beyond the year 9999") from None


def looking_back(value: object, now: datetime, argument: str) -> datetime:
    """The instant that is meant: itself, a day's end in UTC, or a span such as `7d` before now.

    Of a day all is meant that was so far: who names today means now.
    """
    if not isinstance(value, str):
        return check_instant(value, argument)
    if _DAY.fullmatch(value.strip()):
        return _end_of_day(value.strip(), now, argument)
    if not _SPAN.fullmatch(value.strip()):
        try:
            return check_instant(value, argument)
        except InvalidInputError as error:
            remedy = "Write it like 2026-03-01T12:00:00Z, a day like 2026-03-01, or a span like 7d"
            raise InvalidInputError(error.message, remedy=remedy) from None
    try:
        return now - check_span(value, argument)
    except OverflowError:
        raise InvalidInputError(f"`{argument}` reaches back beyond the year 1") from None


def _end_of_day(day: str, now: datetime, argument: str) -> datetime:
    try:
        start = datetime.fromisoformat(f"{day}T00:00:00Z")
    except ValueError:
        raise InvalidInputError(
            f"`{argument}` is no day of the calendar: {day}", remedy="Write it like 2026-03-01"
        ) from None
    end = start.replace(hour=23, minute=59, second=59, microsecond=999_999)
    return min(end, now) if start <= now else end


def check_span(span: str, argument: str) -> timedelta:
    """Read a span of time such as `30m`, `12h` or `7d`."""
    found = _SPAN.fullmatch(span.strip())
    if not found:
        raise InvalidInputError(
            f"`{argument}` is not a span of time: {span!r:.40}",
            remedy="Write a number and a unit: 45s, 30m, 12h, 7d or 4w",
        )
    try:
        return timedelta(seconds=int(found[1]) * _UNITS[found[2]])
    except OverflowError:
        raise InvalidInputError(f"`{argument}` reaches beyond the year 9999") from None


def check_seconds(value: object, argument: str, *, above_zero: bool = False) -> float:
    """Return a number of seconds that is not negative, or more than none."""
    is_odd = isinstance(value, bool) or (above_zero and value == 0)
    if isinstance(value, int | float) and not is_odd and 0 <= value < _MANY_SECONDS:
        return float(value)
    least = "above 0" if above_zero else "from 0 on"
    raise InvalidInputError(
        f"`{argument}` must be a number of seconds {least}, not {value!r:.40}",
        remedy="Write it like 2.5",
    )
