"""What a tool has returned, as text for a model: whatever it is, however much it is."""

from __future__ import annotations

import dataclasses
import json
from typing import Final

from lamina.core.canonical import keepable
from lamina.core.complaints import named, words_of
from lamina.errors import LaminaError

NOTHING: Final = "(nothing returned)"
_MOST_REPR: Final = 100_000


def as_text(result: object) -> str:
    """A result as text: itself, as JSON, or as Python shows it."""
    if result is None:
        return NOTHING
    if isinstance(result, bytes | bytearray | memoryview):
        return _bytes(bytes(result))
    text = str.__str__(result) if isinstance(result, str) else _json(result)
    return keepable(text) or "(empty text)"


def reason(error: BaseException) -> str:
    """An exception in one sentence: our own errors say it all, others have a type and words."""
    return words_of(error) if isinstance(error, LaminaError) else named(error)


def _bytes(raw: bytes) -> str:
    try:
        return keepable(raw.decode()) or "(empty text)"
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
