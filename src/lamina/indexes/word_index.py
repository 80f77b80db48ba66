"""All words of one stream: its segments, and over them what is newer than they are."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from lamina.core import bm25
from lamina.core.bm25 import Statistics
from lamina.core.text import Term
from lamina.indexes import vocabulary
from lamina.indexes.overlay import Overlay
from lamina.indexes.places import EVERYWHERE, Sight
from lamina.indexes.postings import WordDoc
from lamina.indexes.ranking import Ranking, Variant
from lamina.indexes.views import View, stacked
from lamina.indexes.words import WordSegment

_TRIED: Final = bm25.MAX_EXPANSIONS + 1
"""One more than are taken, because the piece itself is not one of them."""


@dataclass(frozen=True, slots=True)
class WordIndex:
    """A value: `changed` answers with another one, so readers need no lock."""

    views: tuple[View[WordSegment], ...] = ()
    overlay: Overlay = Overlay()

    @classmethod
    def of(cls, segments: Iterable[WordSegment], overlay: Overlay | None = None) -> "WordIndex":
        """Put segments in order of what they cover, and an overlay on top."""
        # Not `or`: one that only takes away holds nothing, and counts all the same.
        overlay = Overlay() if overlay is None else overlay
        return cls(stacked(segments, overlay.changes()), overlay)

    def changed(self, put: Iterable[WordDoc] = (), drop: Iterable[int] = ()) -> "WordIndex":
        """The index after records were dropped, and documents put in place of their old ones."""
        put, drop = tuple(put), tuple(drop)
        touched = np.array(sorted({*drop, *(doc.rid for doc in put)}), "i8")
        views = tuple(view.without(touched) for view in self.views)
        return WordIndex(views, self.overlay.changed(put, drop))

    def __len__(self) -> int:
        return sum(map(len, self.views)) + len(self.overlay)

    def rank(
        self,
        terms: Sequence[Term],
        statistics: Statistics,
        visible: Sight = EVERYWHERE,
        eligible: Sight = EVERYWHERE,
    ) -> Ranking:
        """Rank the documents that hold any of the terms.

        `visible` is what exists for the asker: words elsewhere do not count. `eligible` is what
        may be answered with, of all that is visible.
        """
        found = list(self._variants(terms, visible, anywhere=False))
        found = found or list(self._variants(terms, visible, anywhere=True))
        every = statistics.documents
        variants = tuple(
            # The caller's count may be a moment older than the index.
            Variant(token, weight * bm25.idf(max(every, holders), holders))
            for token, weight, holders in found[: bm25.MAX_VARIANTS]
        )
        return Ranking(self.views, self.overlay, variants, statistics.average, visible & eligible)

    def counted(self, visible: Sight) -> Statistics:
        """How many documents are in sight, and how long they are."""
        every = [self.overlay.counted(visible)]
        every += [vocabulary.counted(view, visible) for view in self.views]
        return Statistics.of(sum(number for number, _ in every), sum(long for _, long in every))

    def count(self, token: str, visible: Sight = EVERYWHERE) -> int:
        """How many documents in sight hold a token."""
        return len(self.overlay.holders(token, visible)) + sum(
            vocabulary.count(view, token, visible) for view in self.views
        )

    def _variants(
        self, terms: Sequence[Term], visible: Sight, *, anywhere: bool
    ) -> Iterator[tuple[str, float, int]]:
        """The tokens that stand for the terms of a query: (token, weight, documents with it)."""
        for term in terms:
            holders = self.count(term.token, visible)
            known = holders > 0
            if known:
                yield term.token, term.weight, holders
            if known and not term.expand:
                continue
            inside = bm25.looks_inside(known=known, expand=term.expand, anywhere=anywhere)
            starting = self._starting(term.token, visible)
            holding = self._holding(term.token, visible) if inside else []
            for word, share in bm25.expansions(term.token, starting, holding).items():
                yield word, term.weight * share, self.count(word, visible)

    def _starting(self, piece: str, sight: Sight) -> list[str]:
        found = [word for word in self.overlay.seen(sight) if word.startswith(piece)]
        for view in self.views:
            found += vocabulary.starting(view, piece, sight, _TRIED)
        return vocabulary.shortest(found, _TRIED)

    def _holding(self, piece: str, sight: Sight) -> list[str]:
        """The words that hold a piece, without those that start with it, which come first."""
        found = [
            word
            for word in self.overlay.seen(sight)
            if piece in word and not word.startswith(piece)
        ]
        for view in self.views:
            found += vocabulary.holding(view, piece, sight, _TRIED)
        return vocabulary.shortest(found, _TRIED)
