"""What an entry says of itself: its key, tags, date, links, and the id by which it is linked to."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Final

from lamina.core.markdown.entries import Entry, Form

_KEYED: Final = re.compile(r"\*\*([^*\n]{1,120}?)(?::\*\*|\*\*[ \t]{0,4}:)[ \t]*")
_LABELS: Final = frozenset(
    ("note", "notes", "important", "warning", "caution", "tip", "example", "examples", "why", "how",
     "todo", "fixme", "nb", "remember", "reason", "rationale", "update", "see also")
)  # fmt: skip
"""What is set in bold before a colon to say how to read it, not what it is about."""
_DATE: Final = re.compile(
    r"[\[(*_]{0,3}(\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)?)(?![\w-])"
)
_CODE: Final = re.compile(r"`[^`\n]*`")
_LISTING: Final = re.compile(r"^[ \t]*(?:```|~~~).*", re.MULTILINE | re.DOTALL)
_TAG: Final = re.compile(r"(?<![^\s(,;])#([\w/-]{1,128})(?![\w/-])")
_LINK: Final = re.compile(r"\[\[([^\[\]|#\n]{1,255})(?:[|#][^\[\]\n]{0,255})?\]\]")
_BLOCK_ID: Final = re.compile(r"(?=[0-9-]*[A-Za-z])[A-Za-z0-9-]{2,64}")
_MOST: Final = 64
"""How many tags and how many links of one entry are noted."""


@dataclass(frozen=True, slots=True)
class Said:
    """What an entry says, taken apart."""

    text: str
    """All of it, but for its id."""
    key: str | None = None
    value: str = ""
    """What is said of the key."""
    tags: tuple[str, ...] = ()
    since: datetime | None = None
    links: tuple[str, ...] = ()
    """The notes that it names in double brackets."""
    block: str | None = None
    """Its id in the file, without the caret."""


def said(entry: Entry) -> Said:
    """Take an entry apart; what is code says nothing of itself."""
    text, block = _without_block(entry.text)
    if entry.form is Form.FENCE:
        return Said(text, block=block)
    key, value = _keyed(text)
    prose = _CODE.sub(" ", _LISTING.sub("", text))
    tags = (tag.strip("/-") for tag in _TAG.findall(prose))
    return Said(
        text=text,
        key=key,
        value=value,
        tags=_some(tag for tag in tags if tag and not tag.isdecimal()),
        since=date_in(text),
        links=_some(link.strip() for link in _LINK.findall(prose)),
        block=block,
    )


def date_in(text: str) -> datetime | None:
    """The date or instant that a text begins with; without a zone it is taken as UTC."""
    found = _DATE.match(text.strip())
    if found is None:
        return None
    try:
        instant = datetime.fromisoformat(found[1])
        return (instant if instant.tzinfo else instant.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _keyed(text: str) -> tuple[str | None, str]:
    """The key that stands in bold before a colon, and what is said of it."""
    found = _KEYED.match(text)
    if found is None or not text[found.end() :].strip():
        return None, ""
    key = found[1].strip().rstrip(":").rstrip()
    if not key or key.lower() in _LABELS or date_in(key):
        return None, ""
    return key, text[found.end() :].lstrip()


def _without_block(text: str) -> tuple[str, str | None]:
    """The text without its id: at the end, or at the end of the first line of a longer item."""
    first, broken, rest = text.partition("\n")
    for line, others in ((first, broken + rest), (text, "")):
        said_before, space, name = line.rstrip().rpartition("^")
        stands_alone = not said_before or said_before[-1].isspace()
        if space and stands_alone and said_before.strip() and _BLOCK_ID.fullmatch(name):
            return said_before.rstrip() + others, name
    return text, None


def _some(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(islice(dict.fromkeys(one for one in found if one), _MOST))
