"""Which documents hold which token how often, grouped by token: how a word segment is made.

A posting is the position of a document and the number of a pair (frequency, length of the
document). There are few distinct pairs, so the score of a posting is one look into a small table,
and frequencies are exact.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

import numpy as np

from lamina.indexes.file import Array
from lamina.indexes.places import Place, Places
from lamina.indexes.strings import Strings

_HALF: Final = np.uint64(32)
"""A posting is sorted by one number: its token above, its document below."""


@dataclass(frozen=True, slots=True)
class WordDoc:
    """A document as its tokens, repeated as often as they occur."""

    rid: int
    scope: str
    layer: str
    tokens: Sequence[str]


@dataclass(frozen=True, slots=True)
class Postings:
    """The postings of all tokens, one token after the other."""

    starts: Array
    """Where each token's postings start, and where the last one's end."""
    documents: Array
    """Positions of documents, ascending within a token."""
    pairs: Array
    frequencies: Array
    """By number of a pair: how often the token occurs, in a document of how many tokens."""
    lengths: Array


@dataclass(frozen=True, slots=True)
class Words:
    """All of a word segment but its file."""

    rids: Array
    places: Places
    vocabulary: Strings
    postings: Postings


def gather(docs: Iterable[WordDoc]) -> Words:
    """Turn documents into what a segment holds."""
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    places: defaultdict[Place, int] = defaultdict(count().__next__)
    tokens, lengths, rids, where = array("I"), array("I"), array("q"), array("I")
    for doc in docs:
        tokens.extend(map(numbers.__getitem__, doc.tokens))
        lengths.append(len(doc.tokens))
        rids.append(doc.rid)
        where.append(places[doc.scope, doc.layer])
    order = np.argsort(np.frombuffer(rids, "i8"), kind="stable")
    length = np.frombuffer(lengths, "u4")
    position = _inverse(order)
    vocabulary = sorted(numbers)
    rank = _inverse(np.fromiter(map(numbers.__getitem__, vocabulary), "i8", len(vocabulary)))
    keys = rank.astype("u8")[np.frombuffer(tokens, "u4")]
    del tokens
    keys <<= _HALF
    keys |= np.repeat(position, length)
    keys.sort()
    keys, frequencies = _runs(keys)
    lengths_of = length[order]
    return Words(
        np.frombuffer(rids, "i8")[order],
        Places.of(list(places), np.frombuffer(where, "u4")[order]),
        Strings.of(vocabulary),
        _grouped(keys, *_paired(frequencies, lengths_of[keys.astype("u4")]), len(vocabulary)),
    )


def join(parts: Sequence[tuple[Words, Array]]) -> Words:
    """Bring segments together; each comes with a mask of those documents that still count."""
    rids = np.concatenate([np.zeros(0, "i8"), *(words.rids[alive] for words, alive in parts)])
    order = np.argsort(rids, kind="stable")
    position = _inverse(order)
    vocabulary = sorted(set().union(*(_used(words, alive) for words, alive in parts)))
    numbers = {word: number for number, word in enumerate(vocabulary)}
    table, recoded = _common([words.postings for words, _ in parts])
    merged = [(np.zeros(0, "u8"), np.zeros(0, "u4"))]
    first = 0
    for (words, alive), codes in zip(parts, recoded, strict=True):
        moved = np.zeros(len(alive), "u4")
        last = first + int(np.count_nonzero(alive))
        moved[alive] = position[first:last]
        first = last
        rank = np.array([numbers.get(word, 0) for word in words.vocabulary], "u8")
        merged.append(_moved(words.postings, alive, (rank, moved, codes)))
    merged.sort(key=lambda run: len(run[0]))
    while len(merged) > 1:
        # The shortest first: so most postings are moved once or twice, however many segments.
        merged[:2] = [_merged(merged[1], merged[0])]
    keys, pairs = merged[0]
    places = Places.joined([(words.places, alive) for words, alive in parts], order)
    postings = _grouped(keys, pairs, table, len(vocabulary))
    return Words(rids[order], places, Strings.of(vocabulary), postings)


def _inverse(order: Array) -> Array:
    inverse = np.empty(len(order), "u4")
    inverse[order] = np.arange(len(order), dtype="u4")
    return inverse


def _runs(keys: Array) -> tuple[Array, Array]:
    """The distinct keys of a sorted list, and how often each is there."""
    first = np.flatnonzero(
        np.concatenate([np.ones(min(len(keys), 1), bool), keys[1:] != keys[:-1]])
    )
    return keys[first], np.diff(first, append=len(keys)).astype("u4")


def _paired(frequencies: Array, lengths: Array) -> tuple[Array, Array]:
    """For each posting the number of its pair, and the pairs as columns."""
    often, often_rank = _ranked(frequencies)
    long, long_rank = _ranked(lengths)
    there = np.zeros(len(often) * len(long), bool)
    pair = often_rank.astype("u4" if len(there) < 1 << 32 else "u8")
    pair *= len(long)
    pair += long_rank
    there[pair] = True
    distinct = np.flatnonzero(there)
    number = np.zeros(len(there), "u4")
    number[distinct] = np.arange(len(distinct), dtype="u4")
    by_long = max(len(long), 1)
    return number[pair], np.stack([often[distinct // by_long], long[distinct % by_long]])


def _ranked(values: Array) -> tuple[Array, Array]:
    """The distinct values of small numbers, and for each number its place among them."""
    there = np.bincount(values, minlength=1) > 0
    rank = (np.cumsum(there) - 1).astype("u4")
    return np.flatnonzero(there), rank[values]


def _used(words: Words, alive: Array) -> set[str]:
    """The tokens that documents still hold."""
    before = np.concatenate([[0], np.cumsum(alive[words.postings.documents], dtype="u4")])
    used = np.diff(before[words.postings.starts]).tolist()
    return {word for word, number in zip(words.vocabulary, used, strict=True) if number}


def _common(parts: Sequence[Postings]) -> tuple[Array, list[Array]]:
    """The pairs of several segments as one table, and for each segment their numbers in it."""
    columns = [np.stack([one.frequencies, one.lengths]).astype("i8") for one in parts]
    table, number = np.unique(
        np.concatenate([np.zeros((2, 0), "i8"), *columns], axis=1), axis=1, return_inverse=True
    )
    ends = np.cumsum([column.shape[1] for column in columns])[:-1]
    return table, np.split(number.reshape(-1).astype("u4"), ends)


def _moved(postings: Postings, alive: Array, to: tuple[Array, Array, Array]) -> tuple[Array, Array]:
    """Keys and pairs of a segment's living postings in the joined one; they stay in order."""
    rank, moved, codes = to
    held = np.flatnonzero(alive[postings.documents])
    keys = np.repeat(rank, np.diff(postings.starts).astype("i8"))[held]
    keys <<= _HALF
    keys |= moved[postings.documents[held]]
    return keys, codes[postings.pairs[held]]


def _merged(large: tuple[Array, Array], small: tuple[Array, Array]) -> tuple[Array, Array]:
    at = np.searchsorted(large[0], small[0]) + np.arange(len(small[0]))
    rest = np.ones(len(large[0]) + len(small[0]), bool)
    rest[at] = False
    columns = []
    for many, few in zip(large, small, strict=True):
        column = np.empty(len(rest), many.dtype)
        column[at] = few
        column[rest] = many
        columns.append(column)
    return columns[0], columns[1]


def _grouped(keys: Array, pairs: Array, table: Array, tokens: int) -> Postings:
    return Postings(
        starts=np.searchsorted(keys, np.arange(tokens + 1, dtype="u8") << _HALF).astype("u8"),
        documents=keys.astype("u4"),
        pairs=pairs.astype("u2" if table.shape[1] <= 1 << 16 else "u4"),
        frequencies=table[0].astype("u4"),
        lengths=table[1].astype("u4"),
    )
