"""The lines of a text outside what is fenced in, and without what stands around entries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lamina.paging.context import MORE, NOTHING, TITLES, WARNING
from lamina.paging.lines import LABEL

if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCE: Final = re.compile(r"[>\s]*=== memory (\w{1,64}) ===\s*")
_ANY_FENCE: Final = re.compile(r"(?:\s[>\s]*)?(=== memory \w{1,64} ===)\s*")
_ENTRY: Final = re.compile(rf"\s[>\s]*- (?={LABEL.pattern})")
_TORN_CUT: Final = re.compile(r"(\[…\d+)\s[>\s]*(characters…\])", re.IGNORECASE)
_BLOCK: Final = re.compile(r'[>\s]*<memory marker="(\w{1,64})">\s*')
_BLOCK_END: Final = re.compile(r"[>\s]*</memory>\s*")
_TITLE: Final = re.compile(
    rf"[>\s]*# (?:{'|'.join(TITLES.values())})(?:{re.escape(MORE)})?\s*|[>\s]*</?part\b[^>]*>\s*"
)
_ANY_TITLE: Final = re.compile(
    rf"\s[>\s]*(# (?:{'|'.join(TITLES.values())})(?:{re.escape(MORE)})?)\s+(?=- \[)"
)


def outside(text: str) -> Iterator[str]:
    """The lines that stand outside fences."""
    unfolded = _unfolded(text)
    inside: str | None = None
    for line in unfolded.splitlines():
        end = _end_of(line)
        if inside is not None:
            inside = None if line.strip("> \t") == inside else inside
        elif end is not None and unfolded.count(end) > line.count(end):
            inside = end
        elif not _is_frame(line):
            yield line


def unfenced(text: str) -> str:
    """A text whose fences are gone, but not what stands between them."""
    return "\n".join(line for line in _unfolded(text).splitlines() if not _is_frame(line))


def _unfolded(text: str) -> str:
    """A text in which fences and entries stand on lines of their own, as they were shown.

    Where an entry was cut, the mark stands on one line again.
    """
    whole = _TORN_CUT.sub(r"\1 \2", text)
    apart = _ANY_TITLE.sub(r"\n\1\n", _ANY_FENCE.sub(r"\n\1\n", whole))
    return _ENTRY.sub("\n- ", apart)


def _end_of(line: str) -> str | None:
    """How what this line begins is ended, if it begins a fenced part."""
    fence = _FENCE.fullmatch(line)
    if fence:
        return f"=== memory {fence[1]} ==="
    return "</memory>" if _BLOCK.fullmatch(line) else None


def _is_frame(line: str) -> bool:
    """Whether a line is one of those that stand around entries."""
    is_mark = _FENCE.fullmatch(line) or _BLOCK.fullmatch(line) or _BLOCK_END.fullmatch(line)
    return bool(is_mark or _TITLE.fullmatch(line) or WARNING in line or line.strip() == NOTHING)
