"""What the entries of a note should become. Pure, but for the digests that a store's key makes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from lamina.core import canonical
from lamina.core.instants import to_text
from lamina.core.markdown import Entry, Form, Note, Said, kind_under, said
from lamina.core.markdown.saying import date_in
from lamina.core.names import check_key, check_tags
from lamina.core.secrets import find_secrets
from lamina.errors import InvalidInputError
from lamina.importing.formats import basic_memory

_UNSAID: Final = (Form.COMMENT, Form.RULE)
_FEWEST_WORDS: Final = 3
"""A heading with nothing below it is taken for a statement from so many words on."""
_MOST_TAGS: Final = 64
OWN: Final = "lamina"
"""The name in the front matter of files that Lamina writes itself."""

Digest = Callable[[bytes], str]


@dataclass(frozen=True, slots=True)
class Wanted:
    """One entry as a record is to say it."""

    line: int
    kind: str
    key: str | None
    text: str
    tags: tuple[str, ...]
    since: datetime | None
    data: dict[str, Any]
    """Where it stands: title and section, block id and links."""
    digest: str
    """What it says."""
    place: str
    """Everything else about it that the file tells."""

    @property
    def section(self) -> str:
        """The headings that it stands under, one on each line."""
        return str(self.data.get("section", ""))


@dataclass(frozen=True, slots=True)
class Frame:
    """What holds for all entries of a note."""

    title: str
    tags: tuple[str, ...]
    since: datetime | None
    subject: str = ""
    """What the note is about, where it is one of Basic Memory."""
    named: tuple[tuple[str, str], ...] = ()
    """What else such a note says of itself."""


def wanted_of(note: Note, file: str, digest: Digest) -> list[Wanted]:
    """What the entries of a note should become, in order; a key is given to the first only."""
    tags = _tags_of(note.matter.get("tags", ()))
    subject = basic_memory.subject_of(note.matter, note.title, file)
    named = [
        (name, note.matter[name][0]) for name in ("permalink", "type") if note.matter.get(name)
    ]
    frame = Frame(
        note.title, tags, _since(note.matter, file), subject, tuple(named if subject else ())
    )
    found: list[Wanted] = []
    held: set[tuple[str, str]] = set()
    for entry in note.entries:
        if not _is_said(entry):
            continue
        one = _wanted(entry, frame, held, digest)
        if one.key is not None:
            held.add((one.kind, one.key))
        if one.text:
            found.append(one)
    return found


def is_own(note: Note) -> bool:
    """Whether a note is the face of records that Lamina keeps."""
    return OWN in note.matter


def _is_said(entry: Entry) -> bool:
    if entry.form is Form.HEADING:
        return len(entry.text.split()) >= _FEWEST_WORDS
    return entry.form not in _UNSAID


def _wanted(entry: Entry, frame: Frame, held: set[tuple[str, str]], digest: Digest) -> Wanted:
    kind = kind_under(entry.headings)
    meant = said(entry)
    key = _key(meant)
    if key is None or (kind, key) in held:
        key = None
    text = meant.text if key is None else meant.value
    since = meant.since or _dated(entry) or frame.since
    tags = _usable((*frame.tags, *meant.tags))
    data = _data(entry, frame.title, meant) | dict(frame.named)
    seen = basic_memory.observed(meant.text, frame.subject) if _is_item(entry, frame) else None
    if seen is not None:
        kind, key, text, tags = seen.kind, None, seen.text, _usable((*tags, *seen.tags))
        data |= seen.data
    told = [kind, entry.headings, tags, since and to_text(since), meant.block, meant.links]
    return Wanted(
        line=entry.first, kind=kind, key=key, text=text, tags=tags, since=since, data=data,
        digest=digest(canonical.dumps([key, text]).encode()),
        place=digest(canonical.dumps(told).encode()),
    )  # fmt: skip


def _is_item(entry: Entry, frame: Frame) -> bool:
    return bool(frame.subject) and entry.form is Form.ITEM


def _data(entry: Entry, title: str, meant: Said) -> dict[str, Any]:
    data: dict[str, Any] = {}
    below_title = entry.headings[1:] if entry.headings[:1] == (title,) else entry.headings
    if below_title is not entry.headings:
        data["title"] = title
    if below_title:
        data["section"] = "\n".join(below_title)
    if meant.block:
        data["block"] = meant.block
    if meant.links:
        data["links"] = list(meant.links)
    return data


def _since(matter: Any, file: str) -> datetime | None:
    """When a note is from: its front matter says so, or its name, as that of a daily note does."""
    dates = (date_in(value) for name in ("created", "date") for value in matter.get(name, ()))
    return next((date for date in dates if date), None) or date_in(file.rpartition("/")[2])


def _dated(entry: Entry) -> datetime | None:
    dates = (date_in(title) for title in reversed(entry.headings))
    return next((date for date in dates if date), None)


def _key(meant: Said) -> str | None:
    """The key, if it can be one.

    It is shown everywhere, so it holds no secret; and where it tells that its value is one, the
    value stays beside it, to be recognised and sealed.
    """
    if meant.key is None or find_secrets(meant.key) or find_secrets(meant.text):
        return None
    try:
        return check_key(meant.key)
    except InvalidInputError:
        return None


def _tags_of(values: tuple[str, ...]) -> tuple[str, ...]:
    """Tags of the front matter, where several may stand in one value."""
    return tuple(part.lstrip("#") for value in values for part in value.replace(",", " ").split())


def _usable(tags: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_checked(tags)))[:_MOST_TAGS]


def _checked(tags: tuple[str, ...]) -> Iterator[str]:
    for tag in tags:
        try:
            [checked] = check_tags([tag])
        except InvalidInputError:
            continue
        if not find_secrets(checked):
            yield checked
