"""Choosing what is shown: what fits, each thing once, and why the rest is left out."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lamina.core.ranking.duplicates import nearly_same, shingles
from lamina.core.text import tokens
from lamina.paging.context import TITLES, Entry, LeftOut
from lamina.paging.cutting import SHORTEST, cut_to
from lamina.paging.parts import Reasons

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lamina.core.record import Record
    from lamina.paging.lines import Line

_LEAST_PART: Final = 3
"""A text is cut rather than left out where at least one part in so many of it fits."""
_LENGTHS: Final = 0.8
_READ: Final = 2_000
_PART: Final = 4
"""One word in so many may differ where two texts are nearly the same; it is fewer in fact."""
_WORD: Final = re.compile(r"\w+")
_PARTS: Final = list(TITLES)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that comes into question."""

    record: Record
    line: Line
    part: str
    score: float | None = None
    longest: int | None = None
    """How many tokens it is cut to in any case."""

    @property
    def tokens(self) -> int:
        """What it takes."""
        return self.line.tokens if self.longest is None else min(self.line.tokens, self.longest)


class Chosen:
    """What was chosen so far, and what was not."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count
        self._entries: list[Entry] = []
        self._said = _Said()
        self._known: dict[str, int] = {}
        """Records that were looked at, by when."""
        self._left: list[LeftOut] = []
        self.considered = 0
        self.spent = 0
        self.crowded: set[str] = set()
        """The parts of which something is left out for want of room."""

    def take(self, candidates: Iterable[Candidate], most: int) -> list[Candidate]:
        """Show as many as fit, the first one that does not perhaps cut; returns those missed."""
        missed: list[Candidate] = []
        left, may_cut = most, True
        for one in candidates:
            if not self._is_new(one):
                continue
            self.considered += one.line.tokens
            limit = left
            if one.tokens > left:
                # The likeliest is shown in any case, as far as it goes.
                least = SHORTEST if left == most else max(SHORTEST, one.tokens // _LEAST_PART)
                if not may_cut or left < least:
                    missed.append(one)
                    continue
                may_cut = False
            elif one.longest is not None:
                limit = min(left, one.longest)
            before = self.spent
            if not self._show(one, limit):
                missed.append(one)
            left -= self.spent - before
        return missed

    def take_rest(self, missed: Iterable[Candidate], most: int) -> None:
        """Show whole what still fits, and note what does not."""
        left = most
        for one in missed:
            before = self.spent
            if one.tokens > left or not self._show(one, one.tokens):
                self.crowded.add(one.part)
                self.leave(one.record, Reasons.NO_ROOM)
            left -= self.spent - before

    def left_out(self) -> tuple[LeftOut, ...]:
        """What came into question and is not shown, each once."""
        shown = {one.record.id for one in self._entries}
        found = {one.record.id: one for one in self._left if one.record.id not in shown}
        return tuple(found.values())

    def leave(self, record: Record, why: Reasons) -> None:
        """Note what is not shown."""
        self._left.append(LeftOut(record, why.value))

    def drop(self, entries: list[Entry], tokens: int) -> None:
        """Take so many tokens of entries out again, the least likely first, hot state last."""
        while entries and tokens > 0:
            last = min(entries, key=lambda one: (one.score is None, one.score or 0.0))
            entries.remove(last)
            self._entries.remove(last)
            tokens -= last.tokens
            self.crowded.add(last.part)
            self.leave(last.record, Reasons.NO_ROOM)

    def in_order(self) -> list[Entry]:
        """What was chosen, in the order in which it is read: of the log, what came last is last."""
        return sorted(
            self._entries,
            key=lambda one: (
                _PARTS.index(one.part),
                self._known[one.record.id] * (-1 if one.part == "log" else 1),
            ),
        )

    def _is_new(self, one: Candidate) -> bool:
        if one.record.id in self._known:
            return False
        self._known[one.record.id] = len(self._known)
        # Entries of a log are what happened: twice the same is twice.
        if one.part != "log" and self._said.has(one.record):
            self.leave(one.record, Reasons.REPEATED)
            return False
        return True

    def _show(self, one: Candidate, most: int) -> bool:
        text, tokens, is_cut = one.line.text, one.line.tokens, one.line.tokens > most
        if is_cut:
            # The label stays whole: a text whose origin is not told would be believed too much.
            label = f"- {one.line.label} "
            body = cut_to(one.line.body, most - self._count(label) - 2, self._count)
            if body is None:
                return False
            text = label + body
            tokens = self._count(text) + 1
        self._said.add(one.record)
        self._entries.append(Entry(one.record, one.part, text, tokens, one.score, is_cut))
        self.spent += tokens
        return True


class _Said:
    """What is shown so far, to be found by the words in it."""

    def __init__(self) -> None:
        self._shown: list[Record] = []
        self._by_word: dict[str, list[int]] = {}
        self._by_text: dict[str, list[Record]] = {}

    def add(self, record: Record) -> None:
        """This is shown."""
        self._by_text.setdefault(record.text, []).append(record)
        for word in _words(record.text):
            self._by_word.setdefault(word, []).append(len(self._shown))
        self._shown.append(record)

    def has(self, record: Record) -> bool:
        """Whether what a record says is shown."""
        if any(_repeats(record, other) for other in self._by_text.get(record.text, ())):
            return True
        # Two texts that are nearly the same have most of any so many words in common; the longest
        # are the rarest, so most texts need not be compared with any other.
        words = _words(record.text)
        telling = sorted(words, key=len, reverse=True)[: len(words) // _PART + 2]
        common = Counter(one for word in telling for one in self._by_word.get(word, ()))
        alike = (self._shown[one] for one, n in common.items() if 2 * n > len(telling))
        return any(_repeats(record, other) for other in alike)


def _words(text: str) -> set[str]:
    """The words of the part that is compared; of what puts no spaces between them, as indexed."""
    read = text[:_READ]
    return set(_WORD.findall(read.lower()) if read.isascii() else tokens(read))


def _repeats(one: Record, other: Record) -> bool:
    """Whether one of two records says nothing that the other, which is shown, does not say.

    What comes from elsewhere does not stand for what a user said unless it is the same to the
    letter, what is older does not stand for what is newer, and other numbers are other statements.
    """
    if one.text == other.text:
        return one.key == other.key or one.layer == other.layer
    if one.trust != other.trust or one.updated_at > other.updated_at:
        return False
    shorter, longer = sorted((len(one.text), len(other.text)))
    if shorter < longer * _LENGTHS or not nearly_same(one.text, other.text):
        return False
    differing = shingles(one.text) ^ shingles(other.text)
    return not any(any(c.isdigit() for c in word) for some in differing for word in some)
