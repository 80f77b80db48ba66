"""The documents that answer a query best: BM25 over segments and over what is newer.

The scores are those of `lamina.core.bm25` to the last digit that counts. Words are taken up from
the most to the least telling; once those left cannot lift a new document among the best any more,
they are looked up in the candidates alone, so common words cost little and change nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from lamina.core import bm25
from lamina.indexes.file import Array
from lamina.indexes.overlay import Overlay
from lamina.indexes.places import Sight
from lamina.indexes.scoring import Scorer, best_of
from lamina.indexes.views import View
from lamina.indexes.words import WordSegment

_GROWTH: Final = 4


@dataclass(frozen=True, slots=True)
class Variant:
    """A token that stands for a term of the query."""

    token: str
    worth: float
    """Its weight in the query times how much it tells."""


@dataclass(frozen=True, slots=True)
class Scored:
    """Some documents and their scores, best first, the newest first among equals."""

    rids: Array
    scores: Array

    def __len__(self) -> int:
        return len(self.rids)

    def __iter__(self) -> Iterator[tuple[int, float]]:
        return zip(self.rids.tolist(), self.scores.tolist(), strict=True)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The answer to a query, computed as far down as somebody looks."""

    views: tuple[View[WordSegment], ...]
    overlay: Overlay
    variants: tuple[Variant, ...]
    average: float
    sight: Sight
    _scorers: list[Scorer] = field(default_factory=list)

    def worths(self) -> dict[str, float]:
        """What each token is worth: one may stand for several terms."""
        worths: dict[str, float] = {}
        for variant in self.variants:
            worths[variant.token] = worths.get(variant.token, 0.0) + variant.worth
        return dict(sorted(worths.items(), key=lambda one: -one[1]))

    def best(self, limit: int) -> Scored:
        """The best documents."""
        worths = self.worths()
        rids, scores = self._in_overlay(worths)
        # The largest first: what it has sets a high bar for the others.
        for scorer in sorted(self._scored(worths), key=lambda one: len(one.view), reverse=True):
            floor = float(scores[-1]) if len(scores) >= limit else 0.0
            more = scorer.best(limit, floor, self.sight)
            rids, scores = best_of(
                np.concatenate([rids, more[0]]), np.concatenate([scores, more[1]]), limit
            )
        return _rounded(*best_of(rids, scores, limit))

    def batches(self, first: int = 64) -> Iterator[Scored]:
        """All documents, best first, in batches that grow."""
        done, limit = 0, first
        while limit > done:
            found = self.best(limit)
            yield Scored(found.rids[done:], found.scores[done:])
            done, limit = limit, limit * _GROWTH if len(found) == limit else 0

    def gains(self, rids: Sequence[int]) -> list[dict[str, float]]:
        """For each of some records, what each token of the query adds to its score.

        Only of tokens that the record holds; nothing for records that are not in the index. They
        need not be eligible: whoever names them answers for seeing them.
        """
        worths = self.worths()
        found: list[dict[str, float]] = [self._gained(rid, worths) for rid in rids]
        wanted = np.array(rids, "i8")
        for scorer in self._scored(worths):
            at = scorer.view.segment.positions(wanted)
            if len(scorer.view.dead):
                at[np.isin(at, scorer.view.dead)] = -1
            here = np.flatnonzero(at >= 0)
            if len(here):
                for token, gains in scorer.gains(at[here]):
                    for number, gain in zip(here.tolist(), gains.tolist(), strict=True):
                        if gain:
                            found[number][token] = gain
        return found

    def _scored(self, worths: dict[str, float]) -> list[Scorer]:
        if not self._scorers:
            self._scorers.extend(Scorer(view, worths, self.average) for view in self.views)
        return self._scorers

    def _gained(self, rid: int, worths: dict[str, float]) -> dict[str, float]:
        tokens = self.overlay.tokens.get(rid)
        if tokens is None:
            return {}
        held = worths.keys() & set(tokens)
        return {
            token: worths[token] * bm25.part(tokens.count(token), len(tokens), self.average)
            for token in worths
            if token in held
        }

    def _in_overlay(self, worths: dict[str, float]) -> tuple[Array, Array]:
        scores: dict[int, float] = {}
        for token, worth in worths.items():
            for rid, often in self.overlay.holders(token, self.sight).items():
                length = len(self.overlay.tokens[rid])
                gain = worth * bm25.part(often, length, self.average)
                scores[rid] = scores.get(rid, 0.0) + gain
        return (
            np.fromiter(scores.keys(), "i8", len(scores)),
            np.fromiter(scores.values(), "f8", len(scores)),
        )


def _rounded(rids: Array, scores: Array) -> Scored:
    exact = np.array([round(score, bm25.PRECISION) for score in scores.tolist()])
    order = np.lexsort((-rids, -exact))
    return Scored(rids[order], exact[order])
