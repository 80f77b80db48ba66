"""What a tool has returned, as text for a model: whatever it is, however much it is."""

from __future__ import annotations

import dataclasses
import json
import re
import traceback
from typing import Final

from lamina.errors import LaminaError

NOTHING: Final = "(nothing returned)"
_MOST_REPR: Final = 100_000
_MOST_TRACE: Final = 8_000
_UNFIT: Final = re.compile(r"[\x00\ud800-\udfff]")
"""What no store keeps, and no model is sent."""
_HEAD_SHARE: Final = 0.75


def as_text(result: object) -> str:
    """A result as text: itself, as JSON, or as Python shows it."""
    if result is None:
        return NOTHING
    if isinstance(result, bytes | bytearray | memoryview):
        return _bytes(bytes(result))
    text = str.__str__(result) if isinstance(result, str) else _json(result)
    return clean(text) or "(empty text)"


def clean(text: str) -> str:
    """A text without what no store keeps."""
    return _UNFIT.sub("\ufffd", text)


def cut(text: str, most: int) -> str:
    """A text of at most about `most` characters: its head and its tail, and what is missing."""
    if len(text) <= most:
        return text
    head = int(most * _HEAD_SHARE)
    tail = most - head
    size = len(text.encode())
    missing = len(text) - most
    note = f"\n[… {missing:,} characters left out here; all of it has {size:,} bytes …]\n"
    return text[:head] + note + text[len(text) - tail :]


def reason(error: BaseException) -> str:
    """An exception in one sentence: our own errors say it all, others have a type and words."""
    try:
        words = str(error)
    except Exception:  # an exception that cannot even say what it is
        words = ""
    words = clean(words)
    if isinstance(error, LaminaError):
        return words
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def trace(error: BaseException) -> str:
    """Where it happened, for those who can mend it: the end of it, where it is long."""
    try:
        lines = "".join(traceback.format_exception(error))
    except Exception:  # as above
        lines = "".join(traceback.format_tb(error.__traceback__))
    return clean(lines[-_MOST_TRACE:])


def _bytes(raw: bytes) -> str:
    try:
        return clean(raw.decode()) or "(empty text)"
    except UnicodeDecodeError:
        return f"({len(raw):,} bytes that are no text)"


def _json(result: object) -> str:
    try:
        return json.dumps(result, ensure_ascii=False, default=_plainer)
    except Exception:  # a circle, absurd nesting, names that are no text, or code of the result
        return _shown(result)


def _plainer(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
    return sorted(value, key=repr) if isinstance(value, set | frozenset) else _shown(value)


def _shown(value: object) -> str:
    try:
        return repr(value)[:_MOST_REPR]
    except Exception:  # the code of the value, which may be anything
        return f"(a {type(value).__name__} that cannot be shown)"
