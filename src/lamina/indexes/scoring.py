"""Scores of the documents of one segment, in an accumulator over all of them."""

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np

from lamina.core import bm25
from lamina.indexes.file import Array
from lamina.indexes.places import Sight
from lamina.indexes.views import View, damage_is_named
from lamina.indexes.words import WordSegment

_SLACK: Final = 2 * 10.0**-bm25.PRECISION
"""Scores that are this close may be equal once they are rounded."""


class Scorer:
    """The worth of some tokens applied to one segment, for one query."""

    def __init__(
        self, view: View[WordSegment], worths: Mapping[str, float], average: float
    ) -> None:
        self.view = view
        self._postings = view.segment.words.postings
        with damage_is_named(view.segment.file.path):
            find = view.segment.words.vocabulary.find
            found = [(token, worth, find(token)) for token, worth in worths.items()]
            self._lists = [
                (token, worth, view.segment.span(number))
                for token, worth, number in found
                if number is not None
            ]
        self._parts = view.segment.parts(average) if self._lists else np.zeros(0)
        peak = float(self._parts.max(initial=0.0))
        bounds = [worth * peak for _, worth, _ in self._lists]
        self._left = [sum(bounds[at:]) for at in range(len(bounds) + 1)]
        """How much the tokens from the n-th on can still add to a score."""

    def best(self, limit: int, floor: float, sight: Sight) -> tuple[Array, Array]:
        """The best documents in sight, as long as they score more than `floor`; unordered."""
        if not self._lists or limit <= 0:
            return np.zeros(0, "i8"), np.zeros(0)
        with damage_is_named(self.view.segment.file.path):
            # Gone until it is clean again: an interrupted query leaves none behind.
            sums = _taken(self.view.segment)
            positions, scores = self._summed(sums, limit, floor, self.view.mask(sight))
            self.view.segment.spare.append(sums)
            rids = self.view.segment.words.rids[positions]
        return best_of(rids, scores, limit)

    def gains(self, positions: Array) -> Iterator[tuple[str, Array]]:
        """For each token what it adds to the scores of these documents."""
        with damage_is_named(self.view.segment.file.path):
            for token, worth, held in self._lists:
                yield token, self._looked_up(held, positions) * worth

    def _summed(
        self, sums: Array, limit: int, floor: float, mask: Array | None
    ) -> tuple[Array, Array]:
        touched: list[Array] = []
        number = 0
        for at, (_, worth, held) in enumerate(self._lists):
            long = held.stop - held.start
            if number >= limit and long * 2 > number:
                floor = max(floor, _least_of_best(sums.take(np.concatenate(touched)), limit))
                if self._left[at] < floor - _SLACK:
                    return self._finished(sums, np.concatenate(touched), (at, floor))
            new = self._add(sums, held, worth, mask)
            touched.append(new)
            number += len(new)
        return self._finished(sums, np.concatenate(touched), (len(self._lists), floor))

    def _add(self, sums: Array, held: slice, worth: float, mask: Array | None) -> Array:
        """Add a token's gains; return the documents that had none before."""
        # `take` and `compress` do what brackets do, several times faster.
        positions, pairs = self._postings.documents[held].astype("i8"), self._postings.pairs[held]
        if mask is not None:
            kept = mask.take(positions)
            positions, pairs = positions.compress(kept), pairs.compress(kept)
        before = sums.take(positions)
        sums[positions] = before + self._parts.take(pairs) * worth
        return positions.compress(before == 0)

    def _finished(
        self, sums: Array, touched: Array, state: tuple[int, float]
    ) -> tuple[Array, Array]:
        """Clear the sums, and look up what is left in those that can still be among the best."""
        at, floor = state
        scores = sums.take(touched)
        sums[touched] = 0
        for left, (_, worth, held) in enumerate(self._lists[at:], at):
            hopeful = scores + self._left[left] >= floor - _SLACK
            touched, scores = touched.compress(hopeful), scores.compress(hopeful)
            scores += self._looked_up(held, touched) * worth
        hopeful = scores >= floor - _SLACK
        return touched.compress(hopeful), scores.compress(hopeful)

    def _looked_up(self, held: slice, positions: Array) -> Array:
        """How much documents are about a token, 0 for those that do not hold it."""
        documents, pairs = self._postings.documents[held], self._postings.pairs[held]
        if not len(documents):
            return np.zeros(len(positions))
        at = np.searchsorted(documents, positions.astype("u4"))
        at[at == len(documents)] = 0
        return np.where(documents[at] == positions, self._parts[pairs[at]], 0.0)


def best_of(rids: Array, scores: Array, limit: int) -> tuple[Array, Array]:
    """The best of some documents, best first, the newest first among equals."""
    if len(scores) > limit:
        near = scores >= _least_of_best(scores, limit) - _SLACK
        rids, scores = rids[near], scores[near]
    order = np.lexsort((-rids, -np.round(scores, bm25.PRECISION)))[:limit]
    return rids[order], scores[order]


def _least_of_best(scores: Array, limit: int) -> float:
    return float(np.partition(scores, len(scores) - limit)[len(scores) - limit])


def _taken(segment: WordSegment) -> Array:
    try:
        return segment.spare.pop()
    except IndexError:
        return np.zeros(len(segment))
