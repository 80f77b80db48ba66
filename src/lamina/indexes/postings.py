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

import numpy as np

from lamina.indexes.file import Array
from lamina.indexes.places import Places
from lamina.indexes.strings import Strings


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
    tokens, lengths, rids, where = array("I"), array("I"), array("q"), []
    for doc in docs:
        tokens.extend(map(numbers.__getitem__, doc.tokens))
        lengths.append(len(doc.tokens))
        rids.append(doc.rid)
        where.append((doc.scope, doc.layer))
    order = np.argsort(np.frombuffer(rids, "i8"), kind="stable")
    length = np.frombuffer(lengths, "u4")
    position = np.empty(len(order), "u4")
    position[order] = np.arange(len(order))
    vocabulary = sorted(numbers)
    rank = np.empty(len(vocabulary), "u4")
    rank[[numbers[word] for word in vocabulary]] = np.arange(len(vocabulary))
    keys = rank[np.frombuffer(tokens, "u4")].astype("u8") << 32
    keys |= np.repeat(position, length)
    keys.sort()
    kept, frequencies = _runs(keys)
    return Words(
        np.frombuffer(rids, "i8")[order],
        Places.of([where[one] for one in order.tolist()]),
        Strings.of(vocabulary),
        _grouped(kept, frequencies, length[order][_document(kept)], len(vocabulary)),
    )


def join(parts: Sequence[tuple[Words, Array]]) -> Words:
    """Bring segments together; each comes with a mask of those documents that still count."""
    rids = np.concatenate([np.zeros(0, "i8"), *(words.rids[alive] for words, alive in parts)])
    order = np.argsort(rids, kind="stable")
    position = np.empty(len(order), "u8")
    position[order] = np.arange(len(order))
    living = [_alive(words, alive) for words, alive in parts]
    used = [_used(words, alive) for (words, _), alive in zip(parts, living, strict=True)]
    vocabulary = sorted(set().union(*used))
    numbers = {word: number for number, word in enumerate(vocabulary)}
    keys, frequencies, lengths, first = [np.zeros(0, "u8")], [], [], 0
    for (words, alive), held in zip(parts, living, strict=True):
        rank = np.array([numbers.get(word, 0) for word in words.vocabulary], "u8")
        moved = np.zeros(len(alive), "u8")
        moved[alive] = position[first : first + int(np.count_nonzero(alive))]
        first += int(np.count_nonzero(alive))
        keys.append(_moved(words.postings, held, rank, moved))
        pairs = words.postings.pairs[held]
        frequencies.append(words.postings.frequencies[pairs])
        lengths.append(words.postings.lengths[pairs])
    key = np.concatenate(keys)
    sorting = np.argsort(key, kind="stable")
    frequency = np.concatenate([np.zeros(0, "u4"), *frequencies])[sorting]
    length = np.concatenate([np.zeros(0, "u4"), *lengths])[sorting]
    places = Places.joined([(words.places, alive) for words, alive in parts], order)
    postings = _grouped(key[sorting], frequency, length, len(vocabulary))
    return Words(rids[order], places, Strings.of(vocabulary), postings)


def _alive(words: Words, alive: Array) -> Array:
    return np.asarray(alive[words.postings.documents])


def _used(words: Words, alive: Array) -> set[str]:
    before = np.concatenate([[0], np.cumsum(alive)])
    used = np.diff(before[words.postings.starts]).tolist()
    return {word for word, number in zip(words.vocabulary, used, strict=True) if number}


def _moved(postings: Postings, alive: Array, rank: Array, moved: Array) -> Array:
    """The keys of a segment's living postings in the joined one; they stay in order."""
    terms = np.repeat(rank << np.uint64(32), np.diff(postings.starts).astype("i8"))[alive]
    return terms | moved[postings.documents[alive]]


def _runs(keys: Array) -> tuple[Array, Array]:
    """The distinct keys of a sorted list, and how often each is there."""
    if not len(keys):
        return keys, np.zeros(0, "u4")
    first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    return keys[first], np.diff(first, append=len(keys)).astype("u4")


def _document(keys: Array) -> Array:
    return keys.astype("u4")


def _grouped(keys: Array, frequencies: Array, lengths: Array, tokens: int) -> Postings:
    starts = np.zeros(tokens + 1, "u8")
    np.cumsum(np.bincount((keys >> np.uint64(32)).astype("i8"), minlength=tokens), out=starts[1:])
    often, often_rank = _ranked(frequencies)
    long, long_rank = _ranked(lengths)
    pair = often_rank.astype("i8") * len(long) + long_rank
    there = np.zeros(len(often) * len(long), bool)
    there[pair] = True
    distinct = np.flatnonzero(there)
    number = np.zeros(len(there), "<u2" if len(distinct) <= 1 << 16 else "<u4")
    number[distinct] = np.arange(len(distinct))
    by_long = max(len(long), 1)
    return Postings(
        starts=starts,
        documents=_document(keys),
        pairs=number[pair],
        frequencies=often[distinct // by_long].astype("u4"),
        lengths=long[distinct % by_long].astype("u4"),
    )


def _ranked(values: Array) -> tuple[Array, Array]:
    """The distinct values of small numbers, and for each number its place among them."""
    there = np.bincount(values, minlength=1) > 0
    rank = np.cumsum(there) - 1
    return np.flatnonzero(there), rank[values]
