"""Word search written for its meaning alone: what the index must answer, document by document."""

from collections.abc import Iterable, Sequence
from itertools import chain

from lamina.core import bm25
from lamina.core.text import Term
from lamina.indexes.places import EVERYWHERE, Sight
from lamina.indexes.postings import WordDoc


def scores(
    docs: Iterable[WordDoc],
    terms: Sequence[Term],
    visible: Sight = EVERYWHERE,
    eligible: Sight = EVERYWHERE,
) -> list[tuple[int, float]]:
    """All that match, best first, with statistics of all documents and words of the visible."""
    every = [doc for doc in docs if doc.tokens]
    seen = [doc for doc in every if visible.covers(doc.scope, doc.layer)]
    average = sum(len(doc.tokens) for doc in every) / max(len(every), 1)
    words = set(chain.from_iterable(doc.tokens for doc in seen))
    found: dict[int, float] = {}
    variants = _variants(words, terms, anywhere=False) or _variants(words, terms, anywhere=True)
    for token, weight in variants[: bm25.MAX_VARIANTS]:
        holders = [doc for doc in seen if token in doc.tokens]
        worth = weight * bm25.idf(len(every), len(holders))
        for doc in holders:
            part = bm25.part(list(doc.tokens).count(token), len(doc.tokens), average)
            if eligible.covers(doc.scope, doc.layer):
                found[doc.rid] = found.get(doc.rid, 0.0) + worth * part
    ranked = [(rid, round(score, bm25.PRECISION)) for rid, score in found.items()]
    return sorted(ranked, key=lambda one: (-one[1], -one[0]))


def _variants(words: set[str], terms: Sequence[Term], *, anywhere: bool) -> list[tuple[str, float]]:
    found: list[tuple[str, float]] = []
    for term in terms:
        known = term.token in words
        if known:
            found.append((term.token, term.weight))
        if known and not term.expand:
            continue
        looked = bm25.looks_inside(known=known, expand=term.expand, anywhere=anywhere)
        starting = [word for word in words if word.startswith(term.token)]
        containing = [word for word in words if term.token in word] if looked else []
        tried = bm25.expansions(term.token, starting, containing)
        found += [(word, term.weight * share) for word, share in tried.items()]
    return found
