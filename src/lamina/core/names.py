"""Names and keys: what may name a project, an agent, a kind, a record.

Names become path segments and folders, so they are lower-case ASCII from an allow-list: nothing
that traverses, looks like another name, or means a device. Keys are free text within bounds.
"""

import re
import unicodedata
from typing import Final

from lamina.core.canonical import check_text
from lamina.errors import InvalidInputError

MAX_KEY: Final = 512
MAX_TAGS: Final = 64
MAX_TAG: Final = 128
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_KIND: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
# Windows opens a device for these, whatever the folder.
_DEVICES: Final = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)))
)
# Characters that show as nothing or turn the reading direction: two keys would look alike.
_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_JOINERS: Final = "\u200c\u200d"
_FILLERS: Final = "\u115f\u1160\u3164\uffa0\u2800"
"""Letters by their class that nevertheless show as nothing."""


def check_name(name: object, argument: str) -> str:
    """Return a name that is safe as a path segment, or say what to write instead."""
    if isinstance(name, str) and _NAME.fullmatch(name) and name not in _DEVICES:
        return name
    raise InvalidInputError(
        f"`{argument}` is not a name Lamina can use: {name!r:.80}",
        remedy="Use 1 to 64 lower-case letters, digits, - and _, starting with a letter or digit",
    )


def to_name(text: str, fallback: str) -> str:
    """The nearest name to a display name; `fallback` when nothing is left of it."""
    folded = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9_-]+", "-", folded).strip("-_")[:64].rstrip("-_")
    return name if _NAME.fullmatch(name) and name not in _DEVICES else fallback


def check_kind(kind: object, argument: str = "kind") -> str:
    """Return a kind: one word, as `decision` or `TOOL_USE`."""
    if isinstance(kind, str) and _KIND.fullmatch(kind):
        return kind
    raise InvalidInputError(
        f"`{argument}` is not a word Lamina can use: {kind!r:.80}",
        remedy="Use 1 to 64 letters, digits, - and _, starting with a letter",
    )


def check_key(key: object, argument: str = "key") -> str:
    """Return a key in composed form; empty, endless and invisible keys are refused."""
    return _label(key, argument, MAX_KEY)


def check_tags(tags: object) -> tuple[str, ...]:
    """Return tags without repetition, in the order given."""
    if isinstance(tags, str) or not hasattr(tags, "__iter__"):
        raise InvalidInputError(
            "`tags` must be a list of texts", remedy='Write tags=["one", "two"]'
        )
    found = tuple(dict.fromkeys(check_label(tag, "tags") for tag in tags))
    if len(found) > MAX_TAGS:
        raise InvalidInputError(f"`tags` has {len(found)} entries; the limit is {MAX_TAGS}")
    return found


def check_label(label: object, argument: str) -> str:
    """Return one tag."""
    return _label(label, argument, MAX_TAG)


def _label(value: object, argument: str, limit: int) -> str:
    if not isinstance(value, str):
        raise InvalidInputError(f"`{argument}` must be text, not {type(value).__name__}")
    label = unicodedata.normalize("NFC", value) if len(value) <= limit else value
    if len(label) > limit:
        raise InvalidInputError(
            f"`{argument}` has {len(value):,} characters; the limit is {limit}",
            remedy="Keep the long part in the text or the data",
        )
    check_text(label, argument)
    if not label or label != label.strip():
        raise InvalidInputError(f"`{argument}` is empty or has spaces around it: {value!r:.40}")
    if any(_is_invisible(c) for c in label):
        raise InvalidInputError(
            f"`{argument}` holds invisible characters: {value!a:.80}",
            remedy="Remove control, direction and zero-width characters",
        )
    return label


def _is_invisible(character: str) -> bool:
    kind = unicodedata.category(character)
    return character in _FILLERS or (kind in _INVISIBLE and character not in _JOINERS)
