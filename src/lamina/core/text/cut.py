"""A text kept to a number of characters: its head and its tail, and how much is missing."""

from typing import Final

_HEAD_SHARE: Final = 0.75
"""How a text begins tells more than how it ends."""


def head_and_tail(text: str, most: int) -> str:
    """A text of at most `most` characters, not counting the note between its two parts."""
    if len(text) <= most:
        return text
    head = int(most * _HEAD_SHARE)
    tail = most - head
    note = f"[… {len(text) - most:,} of {len(text):,} characters left out here …]"
    return f"{text[:head]}\n{note}\n{text[len(text) - tail :]}"
