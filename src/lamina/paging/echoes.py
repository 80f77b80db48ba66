"""Echoes: a model's words that are only what it was shown. They are never learned back.

What was shown is known again in the process that showed it, and otherwise by looking whether a text
is made of the words of memories that the same actor can see.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lamina.paging.fencing import outside
from lamina.paging.knowing import Known
from lamina.paging.phrases import denies
from lamina.paging.statements import pieces
from lamina.paging.tiling import FEW
from lamina.paging.wording import weight

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.layers.face import Door
    from lamina.paging.statements import Piece
    from lamina.paging.tiling import Laid

_POINTS: Final = re.compile(r"(?:this|that|it|these|those|the following)\b", re.IGNORECASE)
_GOES_ON: Final = re.compile(r"[^.!?…。！？:：;；\s]\s*$")


def without_echoes(door: Door, text: str, *, search: bool = True) -> str:
    """A text less what was put before the model that wrote it.

    Fenced blocks go as they are. A sentence goes where it is made of the words of memories, with or
    without their labels and however they are listed, unless one beside it says something new about
    it. Without `search`, only what this process knows to have been shown is known again.
    """
    lines = list(outside(text))
    found = list(pieces(lines))
    laid = Known(door, search=search).judge(found)
    if not any(laid.whose):
        return "\n".join(line for line in lines if line.strip("> \t"))
    kept = _Kept(found, laid).numbers()
    return "\n".join(line for line in _lines(lines, found, kept) if line.strip("> \t"))


class _Kept:
    """Which pieces of a text are kept."""

    def __init__(self, found: Sequence[Piece], laid: Laid) -> None:
        self._pieces = found
        self._laid = laid
        self._worded = [number for number, piece in enumerate(found) if piece.words]

    def numbers(self) -> set[int]:
        """What is new, what that is about, and what stands around it."""
        new = {n for n in self._worded if self._laid.whose[n] is None and self._laid.left[n]}
        kept = new | {about for n in new for about in self._about(n)}
        for group in self._laid.together:
            # A sentence that runs over lines is kept whole.
            kept |= set(group) if kept & set(group) else set()
        around = [n for n in range(len(self._pieces)) if self._stands_around(n, kept)]
        return kept | set(around)

    def _about(self, number: int) -> list[int]:
        """What something new is about: what comes right before it, or what it denies."""
        place = self._worded.index(number)
        before = self._worded[max(0, place - 1) : place]
        after = self._worded[place + 1 :]
        piece, is_denial = self._pieces[number], denies(self._pieces[number].words)
        about = [n for n in before if self._belongs(n, number, is_denial)]
        if not is_denial:
            return about
        far = _reach(piece)
        for other in after:
            away = self._pieces[other].line - piece.line
            if self._laid.whose[other] is None or away > far:
                break
            about.append(other)
        return about

    def _belongs(self, one: int, other: int, is_denial: bool) -> bool:
        """Whether of two pieces the second may be about the first."""
        first, second = self._pieces[one], self._pieces[other]
        if first.line == second.line:
            return True
        goes_on = bool(_GOES_ON.search(first.text)) and second.text[:1].islower()
        return second.line == first.line + 1 and (is_denial or goes_on)

    def _stands_around(self, number: int, kept: set[int]) -> bool:
        """Whether a piece that says nothing by itself introduces or encloses what is kept."""
        piece = self._pieces[number]
        after = next((n for n in self._worded if n > number), None)
        if piece.words:
            if self._laid.whose[number] is not None or self._laid.left[number]:
                return False
            same = after is not None and self._pieces[after].line == piece.line
            introduces = same or piece.text.rstrip().endswith((":", "："))
            return not introduces or after is None or after in kept
        before = next((n for n in reversed(self._worded) if n < number), None)
        return before in kept or after in kept


def _reach(denial: Piece) -> float:
    """How many lines further a denial may be about: those of a list, the next, or its own."""
    if denial.text.rstrip().endswith((":", "：")):
        return float("inf")
    return 1 if _POINTS.match(denial.words) or weight(denial.words) < FEW else 0


def _lines(lines: Sequence[str], found: Sequence[Piece], kept: set[int]) -> list[str]:
    """What is kept, on the lines where it stood."""
    shown: list[list[str]] = [[] for _ in lines]
    counts = [0] * len(lines)
    for number, piece in enumerate(found):
        counts[piece.line] += 1
        if number in kept:
            shown[piece.line].append(piece.text)
    return [
        line if len(some) == count else " ".join(some)
        for line, some, count in zip(lines, shown, counts, strict=True)
    ]
