"""A text kept to a number of characters, cut between lines or words where there are any.

What is cut in the middle of a word, or away from the name before it, may be half a secret, which
nobody recognises as one any more.
"""

from typing import Final

_HEAD_SHARE: Final = 0.75
"""How a text begins tells more than how it ends."""
_NEAR: Final = 500
_NEAR_SHARE: Final = 4
"""How much of what is kept may be given up for a gap: so many characters, or this part."""


def head_and_tail(text: str, most: int) -> str:
    """A text of at most `most` characters, not counting the note between its two parts."""
    if len(text) <= most:
        return text
    size = int(most * _HEAD_SHARE)
    head, tail = head_of(text, size), tail_of(text, most - size)
    missing = len(text) - len(head) - len(tail)
    note = f"[… {missing:,} of {len(text):,} characters left out here …]"
    return f"{head}\n{note}\n{tail}"


def head_of(text: str, most: int) -> str:
    """How a text begins, in at most `most` characters."""
    if len(text) <= most:
        return text
    near = text[most - _far(most) : most + 1]
    gap = near.rfind("\n" if "\n" in near else " ")
    return text[:most] if gap < 0 else text[: most - _far(most) + gap]


def tail_of(text: str, most: int) -> str:
    """How a text ends, in at most `most` characters."""
    if len(text) <= most:
        return text
    start = len(text) - most
    near = text[start - 1 : start + _far(most)]
    return text[start + max(0, near.find("\n" if "\n" in near else " ")) :]


def _far(most: int) -> int:
    return min(_NEAR, most // _NEAR_SHARE)
