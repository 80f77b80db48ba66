"""A long text kept to a size: its head and its tail, with the place marked where it was cut."""

from collections.abc import Callable
from typing import Final

Count = Callable[[str], int]
SHORTEST: Final = 24
"""With fewer tokens than this, a piece of a text tells nobody anything."""
_HEAD: Final = 0.6
"""The share of the head: how a text begins tells more than how it ends."""

_LONGEST_TOKEN: Final = 12


def cut_to(text: str, most: int, count: Count) -> str | None:
    """The text within so many tokens; `None` when what fits would not be worth it."""
    if count(text) <= most:
        return text
    if most < SHORTEST:
        return None
    # No token has more characters than this on average, so the search need not begin further out.
    low, high, best = 0, min(len(text), most * _LONGEST_TOKEN), None
    while low < high:
        middle = (low + high + 1) // 2
        piece = _pieces(text, middle)
        if count(piece) <= most:
            low, best = middle, piece
        else:
            high = middle - 1
    return best


def _pieces(text: str, length: int) -> str:
    """So many characters of a text, from its beginning and from its end, cut between words."""
    head_length = int(length * _HEAD)
    tail_length = length - head_length
    head = text[:head_length]
    tail = text[len(text) - tail_length :] if tail_length else ""
    if " " in head[1:]:
        head = head[: head.rindex(" ")]
    if " " in tail[:-1]:
        tail = tail[tail.index(" ") + 1 :]
    left = len(text) - len(head) - len(tail)
    return f"{head.rstrip()} […{left} characters…] {tail.lstrip()}".strip()
