"""Which tokens of a view are alive, in how many documents, and how many of these there are."""

from collections.abc import Iterable
from itertools import islice

import numpy as np

from lamina.indexes.file import Array
from lamina.indexes.places import Sight
from lamina.indexes.views import View, damage_is_named
from lamina.indexes.words import WordSegment


def count(view: View[WordSegment], token: str, sight: Sight) -> int:
    """How many documents in sight hold a token."""
    with damage_is_named(view.segment.file.path):
        number = view.segment.words.vocabulary.find(token)
        if number is None:
            return 0
        held = view.segment.span(number)
        mask = view.mask(sight)
        if mask is None:
            return int(held.stop - held.start)
        return int(np.count_nonzero(mask.take(view.segment.words.postings.documents[held])))


def counted(view: View[WordSegment], sight: Sight) -> tuple[int, int]:
    """How many documents are in sight, and how many tokens they have."""

    def made() -> tuple[int, int]:
        mask, sizes = view.mask(sight), view.segment.sizes
        seen = sizes if mask is None else sizes.compress(mask)
        return int(np.count_nonzero(seen)), int(seen.sum(dtype="u8"))

    return view.kept(("counted", sight), made)


def starting(view: View[WordSegment], piece: str, sight: Sight, limit: int) -> list[str]:
    """The shortest tokens in sight that start with a piece."""
    with damage_is_named(view.segment.file.path):
        found = view.segment.words.vocabulary.starting(piece)
        return _shortest(view, np.arange(found.start, found.stop), sight, limit)


def holding(view: View[WordSegment], piece: str, sight: Sight, limit: int) -> list[str]:
    """The shortest tokens in sight that hold a piece, but do not start with it."""
    with damage_is_named(view.segment.file.path):
        vocabulary = view.segment.words.vocabulary
        found, first = vocabulary.holding(piece), vocabulary.starting(piece)
        found = found[(found < first.start) | (found >= first.stop)]
        return _shortest(view, found, sight, limit)


def shortest(words: Iterable[str], limit: int) -> list[str]:
    """The shortest of some words, in the order in which they are tried."""
    return sorted(set(words), key=lambda word: (len(word), word))[:limit]


def _shortest(view: View[WordSegment], numbers: Array, sight: Sight, limit: int) -> list[str]:
    alive = numbers[_counts(view, numbers, sight) > 0]
    return [word for _, word, _ in islice(view.segment.words.vocabulary.shortest(alive), limit)]


def _counts(view: View[WordSegment], numbers: Array, sight: Sight) -> Array:
    """In how many documents in sight each of some tokens is; the numbers are ascending."""
    postings = view.segment.words.postings
    starts, ends = view.segment.spans(numbers)
    sizes: Array = ends - starts
    mask = view.mask(sight)
    if mask is None or not len(numbers):
        return sizes
    before = np.concatenate([[0], np.cumsum(sizes)])
    if int(ends[-1] - starts[0]) == int(before[-1]):
        held = postings.documents[int(starts[0]) : int(ends[-1])]
    else:
        held = postings.documents[np.arange(before[-1]) + np.repeat(starts - before[:-1], sizes)]
    seen = np.concatenate([[0], np.cumsum(mask.take(held))])
    return np.asarray(seen[before[1:]] - seen[before[:-1]])
