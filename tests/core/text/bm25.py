"""A reference ranking: BM25 over the analyser's tokens, with the expansion every store applies."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from lamina.core.text import Term, query_terms, tokens

_K1 = 1.2
_B = 0.75
_MAX_EXPANSIONS = 32


class Bm25:
    """An index over a list of texts; `search` answers with their positions, best first."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(tokens(text)) for text in texts]
        self._lengths = [count.total() for count in counts]
        self._mean = sum(self._lengths) / len(counts)
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for document, count in enumerate(counts):
            for token, frequency in count.items():
                self._postings.setdefault(token, []).append((document, frequency))

    def search(self, query: str, limit: int = 5) -> list[int]:
        scores: Counter[int] = Counter()
        for term in query_terms(query):
            for token, weight in self._expand(term):
                for document, score in self._score(token):
                    scores[document] += weight * score  # type: ignore[assignment]  # a float sum
        return sorted(scores, key=lambda document: (-scores[document], document))[:limit]

    def _expand(self, term: Term) -> Iterator[tuple[str, float]]:
        if term.token in self._postings:
            yield term.token, term.weight
            if not term.expand:
                return
        others = [token for token in self._postings if token != term.token]
        near = [token for token in others if token.startswith(term.token)]
        share = 0.5
        if not near:
            near = [token for token in others if term.token in token]
            share = 0.25
        for token in sorted(near, key=lambda token: (len(token), token))[:_MAX_EXPANSIONS]:
            yield token, term.weight * share

    def _score(self, token: str) -> Iterator[tuple[int, float]]:
        postings = self._postings[token]
        total = len(self._lengths)
        idf = math.log(1 + (total - len(postings) + 0.5) / (len(postings) + 0.5))
        for document, frequency in postings:
            norm = _K1 * (1 - _B + _B * self._lengths[document] / self._mean)
            yield document, idf * frequency * (_K1 + 1) / (frequency + norm)
