"""A word segment: the postings of some documents of one stream, mapped from a file."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from lamina.core import bm25
from lamina.indexes.file import Array, ArrayFile, Header, refuse_unless, write
from lamina.indexes.places import Places
from lamina.indexes.postings import Postings, WordDoc, Words, gather, join
from lamina.indexes.strings import Strings
from lamina.indexes.views import View, positions

KIND: Final = "words"


@dataclass(frozen=True, slots=True)
class WordSegment:
    """Immutable; may be shared between threads."""

    file: ArrayFile
    words: Words
    sizes: Array
    """How many tokens each document has."""
    gone: Array
    """Records that were changed in what this covers and have no document in it."""
    spare: list[Array] = field(default_factory=list)
    """Zeroed accumulators, one for each thread that ever scored here at the same time."""

    @classmethod
    def open(cls, path: Path) -> "WordSegment":
        """Map a segment.

        Raises:
            IndexDamagedError: The file is not a whole word segment.
        """
        file = ArrayFile.open(path)
        refuse_unless(file.header.kind == KIND, path, "is not about words")
        rids, sizes, gone = file.named("rids", "size", "gone")
        postings = Postings(*file.named("starts", "documents", "pairs", "frequency", "length"))
        vocabulary = Strings.of_file(file, "token")
        fits = (
            postings.starts.shape == (len(vocabulary) + 1,)
            and int(postings.starts[-1]) == len(postings.documents)
            and postings.pairs.shape == postings.documents.shape
            and postings.lengths.shape == postings.frequencies.shape
            and sizes.shape == rids.shape
        )
        refuse_unless(fits, path, "has postings that do not fit together")
        words = Words(rids, Places.of_file(file, len(rids)), vocabulary, postings)
        return cls(file, words, sizes, gone)

    @classmethod
    def build(
        cls, path: Path, header: Header, docs: Iterable[WordDoc], gone: Iterable[int] = ()
    ) -> "WordSegment":
        """Write the segment of some documents.

        `gone` are records that were changed within what the header covers and have no document.
        """
        return _written(path, header, gather(docs), np.array(sorted(gone), "i8"))

    @classmethod
    def merge(
        cls, path: Path, header: Header, views: Sequence[View["WordSegment"]]
    ) -> "WordSegment":
        """Write one segment for several that follow one another, without what is dead in them."""
        joined = join([(view.segment.words, view.alive()) for view in views])
        gone = np.zeros(0, "i8")
        if header.lo:
            changed = np.concatenate([gone, *(view.segment.changed() for view in views)])
            gone = np.setdiff1d(changed, joined.rids)
        return _written(path, header, joined, gone)

    def __len__(self) -> int:
        return len(self.words.rids)

    @property
    def header(self) -> Header:
        return self.file.header

    @property
    def places(self) -> Places:
        return self.words.places

    def changed(self) -> Array:
        return np.union1d(self.words.rids, self.gone)

    def positions(self, rids: Array) -> Array:
        return positions(self.words.rids, rids)

    def spans(self, tokens: Array) -> tuple[Array, Array]:
        """Where the postings of some tokens start and end."""
        starts, ends = self.words.postings.starts[tokens], self.words.postings.starts[tokens + 1]
        if (starts > ends).any() or (ends > len(self.words.postings.documents)).any():
            raise IndexError("a token has postings that are not there")
        return starts.astype("i8"), ends.astype("i8")

    def span(self, token: int) -> slice:
        """Where the postings of a token are."""
        ends: list[int] = self.words.postings.starts[token : token + 2].tolist()
        start, end = ends
        if not start <= end <= len(self.words.postings.documents):
            raise IndexError("a token has postings that are not there")
        return slice(start, end)

    def parts(self, average: float) -> Array:
        """How much a document is about a token, by the number of their pair."""
        frequency, length = self.words.postings.frequencies, self.words.postings.lengths
        norm = bm25.K1 * (1 - bm25.B + bm25.B * length / average)
        return np.asarray(frequency * (bm25.K1 + 1) / (frequency + norm))


def _written(path: Path, header: Header, words: Words, gone: Array) -> WordSegment:
    if len(words.rids) > 1 and not (np.diff(words.rids) > 0).all():
        raise ValueError("a record is in a segment once only")
    sizes = np.zeros(len(words.rids), "u4")
    sizes[words.postings.documents] = words.postings.lengths[words.postings.pairs]
    arrays = {
        "rids": words.rids,
        "size": sizes,
        "gone": gone,
        **words.places.arrays(),
        **words.vocabulary.arrays("token"),
        "starts": words.postings.starts,
        "documents": words.postings.documents,
        "pairs": words.postings.pairs,
        "frequency": words.postings.frequencies,
        "length": words.postings.lengths,
    }
    write(path, header, arrays, {"layers": list(words.places.layer_names)})
    return WordSegment.open(path)
