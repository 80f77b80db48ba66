"""Which pieces of a text are made of nothing but known statements, laid end to end.

Statements may follow each other with nothing in between, run over the ends of lines, and be
introduced by a phrase. One word more, and the piece is new.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from lamina.paging.phrases import PHRASES
from lamina.paging.wording import folded, same_case, weight

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lamina.core.ids import RecordId
    from lamina.paging.statements import Piece

FEW: Final = 3
"""Fewer words than this are nobody's."""
_LONGEST_PHRASE: Final = max(len(one.split()) for one in PHRASES)
_ROUNDS: Final = 8
_GLUE: Final = ".,;:|/!\"'()[]{}*_"
"""What may stand between two statements without a space, and with one means nothing."""
_SKIPPED, _TILE, _PHRASE = 1.0, 0.001, 0.002
"""What it costs to leave a word uncovered, and to lay a tile: as few of both as can be."""


_Covered = list[list[tuple[int, int]]]
"""For each piece where what covers something of it begins and ends."""


class Statements:
    """Known statements, found by how they begin."""

    def __init__(self) -> None:
        self._by_start: dict[str, dict[str, RecordId]] = {}
        self._whole: dict[str, RecordId] = {}

    def add(self, said: Iterable[str], record: RecordId) -> None:
        """A record says these."""
        for one in said:
            low = folded(one)
            self._whole.setdefault(low, record)
            if weight(one) >= FEW:
                self._by_start.setdefault(_start(low), {})[one] = record

    def add_named(self, said: Iterable[str], record: RecordId) -> None:
        """The same for statements that say what they are about, however short."""
        for one in said:
            self._by_start.setdefault(_start(folded(one)), {})[one] = record

    def starting(self, low: str, at: int) -> Mapping[str, RecordId]:
        """What may begin at a place of a text."""
        # Two words tell enough; statements of one word are never laid.
        return self._by_start.get(_start(low, at), {})

    def whole(self, words: str) -> RecordId | None:
        """The record that says just this, of however few words."""
        return self._whole.get(folded(words))


def _start(words: str, at: int = 0) -> str:
    first = words.find(" ", at)
    second = words.find(" ", first + 1) if first >= 0 else -1
    return words[at : second if second >= 0 else len(words)]


@dataclass(frozen=True, slots=True)
class _Tile:
    start: int
    end: int
    record: RecordId | None
    """None for a phrase."""


@dataclass(slots=True)
class Laid:
    """What was found of each piece."""

    whose: list[RecordId | None]
    """The record whose words it is, for each piece that is nothing else."""
    left: list[str]
    """The words of each piece that nothing covers."""
    touching: list[set[RecordId]]
    """The records of which something stands in a piece."""
    together: list[range] = field(default_factory=list)
    """Pieces that are the words of one statement."""


class Tiling:
    """Pieces with words as one row of words, and the known statements in it."""

    def __init__(self, pieces: Sequence[Piece], known: Sequence[Statements]) -> None:
        self._words = " ".join(piece.words for piece in pieces)
        self._low = folded(self._words)
        self._known = known
        self._bounds: list[tuple[int, int]] = []
        at = 0
        for piece in pieces:
            self._bounds.append((at, at + len(piece.words)))
            at += len(piece.words) + 1
        self._firsts = [start for start, _ in self._bounds]
        self._starts = [0, *(n + 1 for n, sign in enumerate(self._low) if sign == " ")]

    def lay(self) -> Laid:
        """Cover as much as can be; a statement counts only where all its pieces are covered."""
        tiles = self._tiles()
        for _ in range(_ROUNDS):
            laid = self._cheapest(tiles)
            covered = self._covered(laid)
            whole = [not self._left(number, covered) for number in range(len(self._bounds))]
            broken = {
                tile for tile in laid
                if tile.record is not None and not all(whole[n] for n in self._touched(tile))
            }  # fmt: skip
            torn = {tile for tile in broken if any(whole[n] for n in self._touched(tile))}
            if not torn:
                break
            tiles = {at: [one for one in some if one not in torn] for at, some in tiles.items()}
        return self._found(laid, covered, whole)

    def _found(self, laid: Sequence[_Tile], covered: _Covered, whole: Sequence[bool]) -> Laid:
        count = len(self._bounds)
        left = [self._left(number, covered) for number in range(count)]
        found = Laid([None] * count, left, [set() for _ in range(count)])
        for tile in laid:
            if tile.record is None:
                continue
            touched = self._touched(tile)
            for number in touched:
                found.touching[number].add(tile.record)
            if all(whole[n] for n in touched):
                found.together.append(touched)
                for number in touched:
                    found.whose[number] = found.whose[number] or tile.record
        return found

    def _tiles(self) -> dict[int, list[_Tile]]:
        """Every known statement and phrase in the text, by where it begins."""
        found: dict[int, list[_Tile]] = {}
        waiting = list(self._starts)
        while waiting:
            at = waiting.pop()
            if at in found:
                continue
            found[at] = list(self._statements_at(at))
            ends = (tile.end for tile in found[at])
            waiting += [
                self._after(end) for end in ends if self._low[end : end + 1] not in ("", " ")
            ]
        for at in self._starts:
            found[at] += self._phrases_at(at)
        return found

    def _statements_at(self, at: int) -> Iterator[_Tile]:
        for known in self._known:
            for one, record in known.starting(self._low, at).items():
                end = at + len(one)
                if (
                    self._low.startswith(folded(one), at)
                    and self._ends_at(end)
                    and same_case(self._words[at:end], one)
                ):
                    yield _Tile(at, end, record)

    def _ends_at(self, end: int) -> bool:
        """Whether a statement may end here: with a word, or where the next one was run into it."""
        if end >= len(self._low) or self._low[end] == " ":
            return True
        after = self._after(end)
        if self._low[end - 1].isdigit() and self._low[end].isdigit():
            return False
        return any(known.starting(self._low, after) for known in self._known)

    def _after(self, end: int) -> int:
        while end < len(self._low) and self._low[end] in _GLUE:
            end += 1
        return end

    def _phrases_at(self, at: int) -> Iterator[_Tile]:
        end = at
        for _ in range(_LONGEST_PHRASE):
            end = self._low.find(" ", end + 1)
            end = end if end >= 0 else len(self._low)
            if self._low[at:end] in PHRASES:
                yield _Tile(at, end, None)
            if end == len(self._low):
                return

    def _cheapest(self, tiles: Mapping[int, Sequence[_Tile]]) -> list[_Tile]:
        """The tiles that leave the fewest words uncovered, the fewest of those that do."""
        end = len(self._low)
        cost: dict[int, float] = {end + 1: 0.0, end: 0.0}
        chosen: dict[int, _Tile | None] = {}
        following = dict(pairwise([*self._starts, end + 1]))
        for at in sorted(tiles, reverse=True):
            best, tile = _SKIPPED + cost[following[at]] if at in following else float("inf"), None
            for one in tiles[at]:
                price = _PHRASE if one.record is None else _TILE
                price += cost.get(self._next(one.end), float("inf"))
                if price < best:
                    best, tile = price, one
            cost[at], chosen[at] = best, tile
        laid, at = [], 0
        while at < end:
            tile = chosen[at]
            laid += [tile] if tile else []
            at = self._next(tile.end) if tile else following[at]
        return laid

    def _next(self, end: int) -> int:
        if end >= len(self._low):
            return len(self._low) + 1
        return end + 1 if self._low[end] == " " else self._after(end)

    def _covered(self, laid: Sequence[_Tile]) -> _Covered:
        found: _Covered = [[] for _ in self._bounds]
        for tile in laid:
            for number in self._touched(tile):
                found[number].append((tile.start, tile.end))
        return found

    def _left(self, number: int, covered: _Covered) -> str:
        at, end = self._bounds[number]
        left = []
        for first, last in covered[number]:
            left.append(self._words[at:first].strip(" " + _GLUE))
            at = max(at, last)
        left.append(self._words[at:end].strip(" " + _GLUE))
        return " ".join(one for one in left if one)

    def _touched(self, tile: _Tile) -> range:
        """The pieces that hold some of a tile."""
        return range(
            bisect_right(self._firsts, tile.start) - 1, bisect_left(self._firsts, tile.end)
        )
