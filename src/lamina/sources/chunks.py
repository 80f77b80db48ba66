"""What a file is cut into: spans of lines within a size, which together are the whole file.

Pure: text in, chunks out. Nothing is lost but blank lines, nothing is said twice, and the same text
is always cut alike. Sizes are counted in bytes of UTF-8, which follow a model's tokens across
scripts closely enough and cost next to nothing: `MOST` is 300 to 450 tokens of prose or code.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

from lamina.core.markdown.structure import lines_of

MOST: Final = 1500
"""How large a chunk becomes, unless it is one block that belongs together."""
MOST_WHOLE: Final = 6000
"""How large such a block may be; beyond that it is cut like everything else."""
TINY: Final = 100
"""What is smaller says too little alone, and goes with what follows."""
_SMALLEST_SHARE: Final = 3
_ITEM: Final = re.compile(r"\s*(?:[-*+•]|\d{1,4}[.)])\s+\S")
_SENTENCE_ENDS: Final = (".", "!", "?", ":", ";", "。", "！", "？", "…", '."', ".)", "|", "}")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a file: its lines, both ends included, and what it is about."""

    first: int
    last: int
    name: str
    """A heading with those above it, or a definition; empty where nothing names it."""
    text: str


@dataclass(frozen=True, slots=True)
class Span:
    """Lines that belong together, not yet cut to size."""

    first: int
    last: int
    name: str = ""


class Page:
    """The lines of a text, numbered from 1; they end as in any system's files."""

    def __init__(self, text: str) -> None:
        self.lines = lines_of(text)
        self._ends = [0, *accumulate(len(line.encode()) + 1 for line in self.lines)]

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, number: int) -> str:
        return self.lines[number - 1]

    def is_blank(self, number: int) -> bool:
        """Whether nothing stands on a line."""
        return not self[number].strip()

    def size(self, first: int, last: int) -> int:
        """The bytes of these lines."""
        return self._ends[last] - self._ends[first - 1]

    def between(self, first: int, last: int) -> str:
        """The text of these lines."""
        return "\n".join(self.lines[first - 1 : last])

    def trimmed(self, span: Span) -> Span | None:
        """The span without the blank lines around it; `None` when there is nothing else."""
        first, last = span.first, span.last
        while first <= last and self.is_blank(first):
            first += 1
        while first <= last and self.is_blank(last):
            last -= 1
        return replace(span, first=first, last=last) if first <= last else None


def cut(page: Page, spans: Iterable[Span], whole: Collection[tuple[int, int]] = ()) -> list[Chunk]:
    """Cut spans to size: at blank lines, else at items and sentences, else at lines, else inside.

    `whole` holds the first and last lines of blocks that are not cut while they are bearable.
    """
    return [chunk for span in spans for chunk in _cut(page, span, whole)]


def by_paragraph(page: Page) -> list[Chunk]:
    """Plain text: paragraphs, as many together as there is room for."""
    return cut(page, [Span(1, len(page))])


def _cut(page: Page, span: Span, whole: Collection[tuple[int, int]]) -> Iterator[Chunk]:
    trimmed = page.trimmed(span)
    if trimmed is None:
        return
    waiting: Span | None = None
    for block in _blocks(page, trimmed, whole):
        if waiting is not None:
            grown = replace(waiting, last=block.last)
            together = page.size(grown.first, grown.last)
            # A heading is of no use without what it is the heading of.
            alone = page.size(waiting.first, waiting.last) < TINY
            if together <= MOST or (alone and together <= MOST_WHOLE and _bears(block, whole)):
                waiting = grown
                continue
            yield from _fitted(page, waiting, whole)
        waiting = block
    if waiting is not None:
        yield from _fitted(page, waiting, whole)


def _bears(block: Span, whole: Collection[tuple[int, int]]) -> bool:
    return (block.first, block.last) in whole


def _blocks(page: Page, span: Span, whole: Collection[tuple[int, int]]) -> Iterator[Span]:
    """Runs of lines without a blank one, and the blocks that stay whole."""
    ends = dict(whole)
    first, number = span.first, span.first
    while number <= span.last:
        last = ends.get(number)
        if last is not None and last <= span.last:
            if first < number and page.trimmed(Span(first, number - 1)):
                yield replace(span, first=first, last=number - 1)
            yield replace(span, first=number, last=last)
            first = number = last + 1
        elif page.is_blank(number):
            if first < number:
                yield replace(span, first=first, last=number - 1)
            first = number = number + 1
        else:
            number += 1
    if first <= span.last:
        yield replace(span, first=first, last=span.last)


def _fitted(page: Page, span: Span, whole: Collection[tuple[int, int]]) -> Iterator[Chunk]:
    """One chunk where it fits; otherwise one for every few lines."""
    size = page.size(span.first, span.last)
    holds_whole = any(span.first <= first and last <= span.last for first, last in whole)
    if size <= (MOST_WHOLE if holds_whole else MOST):
        yield Chunk(span.first, span.last, span.name, page.between(span.first, span.last))
        return
    first = span.first
    while first < span.last and page.size(first, span.last) > MOST:
        following = _border(page, first, span.last)
        yield from _lines(page, replace(span, first=first, last=following - 1))
        first = following
    yield from _lines(page, replace(span, first=first))


def _border(page: Page, first: int, last: int) -> int:
    """The line that the next piece begins with: where something begins, as late as there is room.

    A piece that would be small for it is not worth the better place.
    """
    latest = first + 1
    while latest < last and page.size(first, latest) <= MOST:
        latest += 1
    room = range(first + 1, latest + 1)
    wide = [number for number in room if page.size(first, number - 1) >= MOST // _SMALLEST_SHARE]
    return max(wide or room, key=lambda number: (_begins(page, number), number))


def _begins(page: Page, number: int) -> int:
    """How much of a beginning a line is: of a list's item, of a sentence, or of nothing."""
    line, above = page[number], page[number - 1].rstrip()
    if _ITEM.match(line):
        return 3 if line == line.lstrip() else 2
    return 1 if above.endswith(_SENTENCE_ENDS) else 0


def _lines(page: Page, span: Span) -> Iterator[Chunk]:
    trimmed = page.trimmed(span)
    if trimmed is None:
        return
    first, last, name = trimmed.first, trimmed.last, trimmed.name
    if first < last or page.size(first, last) <= MOST:
        yield Chunk(first, last, name, page.between(first, last))
        return
    yield from (Chunk(first, first, name, piece) for piece in _inside(page[first]))


def _inside(line: str) -> Iterator[str]:
    """Cut one endless line, between sentences or else words where there are any."""
    while line:
        head = line.encode()[:MOST].decode(errors="ignore")
        if len(head) < len(line):
            ends = (head.rfind(f"{end} ", len(head) // 2) + 1 for end in (".", "!", "?"))
            gap = max(*ends, 0) or head.rfind(" ", len(head) // 2)
            head = head[: gap + 1] if gap > 0 else head
        if head.strip():
            yield head
        line = line[len(head) :]
