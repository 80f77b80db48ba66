"""What a reader finds in a file: items to be kept, and places where there is nothing to keep."""

import math
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from lamina.core.instants import to_text
from lamina.core.names import check_label, to_name
from lamina.core.record import Trust
from lamina.core.secrets import find_secrets
from lamina.errors import InvalidInputError

_MOST_TAGS: Final = 64
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECONDS: Final = 1e11
"""Seconds beyond this would be the year 5138: such a number counts milliseconds."""
_DEEPEST: Final = 50
_STRAY: Final = re.compile(r"[\ud800-\udfff]")
_BYTES: Final = re.compile(r"[\udc80-\udcff]+")
NOBODY: Final = "file"
"""The source of what names nobody: no word that anything is found by."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in a file, both counted from 1."""

    line: int
    item: int

    def __str__(self) -> str:
        return f"item {self.item}, line {self.line}"


@dataclass(frozen=True, slots=True)
class Found:
    """A value as it was read, not understood yet."""

    place: Place
    value: Any


@dataclass(frozen=True, slots=True)
class Left:
    """Something that is left out, and why."""

    place: Place
    reason: str
    bad: bool = True
    """Whether something is wrong with it; otherwise it is just nothing to be kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One memory or one message, as another tool had it."""

    place: Place
    identity: tuple[str, ...]
    """What makes it the same one in the next export, whatever it says by then."""
    text: str
    kind: str
    layer: str = "knowledge"
    session: str | None = None
    key: str | None = None
    tags: tuple[str, ...] = ()
    data: dict[str, Any] = field(default_factory=dict)
    trust: Trust = Trust.FILE
    source: str = NOBODY
    importance: float | None = None
    created: datetime | None = None
    updated: datetime | None = None
    stamp: datetime | None = None
    """A time that no later export tells otherwise: the id is ordered by it."""


def instant_of(value: object) -> datetime | None:
    """The instant that is meant: text of ISO 8601, or seconds or milliseconds since 1970.

    Without a zone it is taken as UTC; what is no instant is none.
    """
    try:
        if isinstance(value, bool) or value is None:
            return None
        if isinstance(value, str) and not value.replace(".", "", 1).isdecimal():
            found = datetime.fromisoformat(value.strip())
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
        number = float(value)  # type: ignore[arg-type]  # whatever is no number raises
        seconds = number / 1000 if number > _MILLISECONDS else number
        return (
            _EPOCH + timedelta(seconds=seconds) if math.isfinite(seconds) and seconds > 0 else None
        )
    except (ValueError, OverflowError, TypeError):
        return None


def text_of(value: object) -> str:
    """A text fit to be kept: bytes that were no UTF-8 are read as Windows-1252, NUL goes."""
    if not isinstance(value, str):
        return ""
    if _STRAY.search(value):
        value = _STRAY.sub("\ufffd", _BYTES.sub(_as_bytes, value))
    return value.replace("\0", "").strip()


def tags_of(values: object) -> tuple[str, ...]:
    """Those of the values that can be tags and hold no secret; a text may list several."""
    listed = re.split(r"[,;|]", values) if isinstance(values, str) else values
    found: dict[str, None] = {}
    for value in listed if isinstance(listed, list | tuple) else ():
        try:
            tag = check_label(text_of(value), "tags")
        except InvalidInputError:
            continue
        if not find_secrets(tag):
            found[tag] = None
    return tuple(found)[:_MOST_TAGS]


def name_of(value: object) -> str:
    """Who is meant, as a name; nobody where that is none."""
    return to_name(text_of(value), NOBODY)


def plain(value: object, depth: int = 0) -> Any:
    """A value that was read as JSON, fit to be kept: clean texts, finite numbers, bounded depth."""
    if depth > _DEEPEST:
        return None
    if isinstance(value, dict):
        return {text_of(name): plain(one, depth + 1) for name, one in value.items()}
    if isinstance(value, list):
        return [plain(one, depth + 1) for one in value]
    if isinstance(value, str):
        return text_of(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def some(**values: object) -> dict[str, Any]:
    """Those of the values that say something."""
    said = {name: plain(value) for name, value in values.items()}
    return {name: value for name, value in said.items() if value not in (None, "", [], {})}


def times(created: object, updated: object) -> dict[str, Any]:
    """The times of an item whose first one never changes, as the arguments of one."""
    made, changed = instant_of(created), instant_of(updated)
    last = max(made, changed) if made and changed else changed or made
    return {"created": made, "updated": last, "stamp": made}


def told(instant: datetime | None) -> str | None:
    """An instant as it stands in the data of a record."""
    return None if instant is None else to_text(instant)


def _as_bytes(found: re.Match[str]) -> str:
    raw = found[0].encode("utf-8", "surrogateescape")
    return raw.decode("cp1252", "replace")
