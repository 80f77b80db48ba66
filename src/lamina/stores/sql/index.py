"""The keyword index: postings in tables, BM25 in SQL with each stream's own statistics.

A database's own ranking uses the statistics of the whole table, so one tenant's documents would
move another's scores. Here a token is written as `<stream>:<token>`, which makes postings, document
counts and vocabulary the stream's own, and the formula of `lamina.core.bm25` is spelled out in SQL.
"""

import heapq
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lamina.core import bm25
from lamina.core.bm25 import Statistics
from lamina.core.text import Term
from lamina.stores.sql.driver import Connection, rows
from lamina.stores.sql.postings import Postings, Token
from lamina.stores.sql.streams import Stream, statistics
from lamina.stores.sql.vocabulary import Variant, Vocabulary, plain

_BODIES: Final = (
    "select rowid, body from word where rowid in (select cast(value as bigint) from json_each(?))"
)


@dataclass(frozen=True, slots=True)
class Scored:
    """What a record holds of the words of a query."""

    score: float
    terms: tuple[str, ...]


def body(sid: int, terms: Sequence[str]) -> str:
    """The tokens of a record as they are kept: each behind the number of its stream."""
    start = f"{sid}:"
    return start + f" {start}".join(terms) if terms else ""


class SqlWords:
    """One query's words in the postings of a stream."""

    def __init__(
        self,
        connection: Connection,
        stream: Stream,
        statistics: Statistics,
        known: tuple[Mapping[Term, int], Sequence[Variant]],
    ) -> None:
        """Take what is known of the vocabulary: who holds the terms, and what stands for them."""
        self._connection = connection
        self._stream = stream
        self.statistics = statistics
        holders, variants = known
        every = statistics.documents
        self.worths: Mapping[str, float] = {
            term.token: term.weight * bm25.idf(every, number) for term, number in holders.items()
        }
        self._tokens = [
            Token(one.token, one.weight * bm25.idf(every, one.documents), one.documents)
            for one in variants[: bm25.MAX_VARIANTS]
        ]

    @classmethod
    def of_streams(
        cls, connection: Connection, several: Sequence[Stream], terms: Sequence[Term]
    ) -> "list[SqlWords]":
        """One query's words in each of several streams, which are asked together."""
        counted = statistics(connection, several)
        vocabulary = Vocabulary(connection, several)
        holders = vocabulary.holders(terms)
        known = zip(holders, vocabulary.variants(holders), strict=True)
        return [cls(connection, *one) for one in zip(several, counted, known, strict=True)]

    def ranked(self) -> Iterator[tuple[int, float]]:
        """The records that hold any of the words, best first, and the newest among equals."""
        past = self._stream.past
        if not self._tokens:
            return iter(())
        if past is None:
            return self._in_index()
        then = [(one.rid, self._scored(one.terms).score) for one in past.documents]
        then = sorted((one for one in then if one[1]), key=_place)
        return heapq.merge(self._in_index(past.touched), then, key=_place)

    def of(self, rids: Sequence[int]) -> dict[int, Scored]:
        """What these records hold of the words, for those that hold any."""
        past = {} if self._stream.past is None else self._stream.past.by_record
        present = [rid for rid in rids if rid not in past]
        # Most streams have said nothing that is wanted, and need not be asked.
        bodies = rows(self._connection, _BODIES, (json.dumps(present),)) if present else ()
        found = {rid: self._scored(Counter(body.split(" "))) for rid, body in bodies}
        found |= {rid: self._scored(past[rid].terms) for rid in rids if rid in past}
        return {rid: one for rid, one in found.items() if one.terms}

    def _in_index(self, touched: str | None = None) -> Iterator[tuple[int, float]]:
        tokens = sorted(self._tokens, key=lambda token: -token.worth)
        sight, average = self._stream.sight, self.statistics.average
        return Postings(self._connection, average, tokens, sight, touched).ranked()

    def _scored(self, document: Counter[str]) -> Scored:
        length = document.total()
        held = [token for token in self._tokens if token.text in document]
        score = sum(
            token.worth * bm25.part(document[token.text], length, self.statistics.average)
            for token in held
        )
        return Scored(round(score, bm25.PRECISION), plain(token.text for token in held))


def _place(ranked: tuple[int, float]) -> tuple[float, int]:
    return -ranked[1], -ranked[0]


def in_tables(
    connection: Connection, terms: Sequence[Term]
) -> Callable[[Sequence[tuple[Stream, object]]], list[SqlWords]]:
    """Makes out the words of a query in streams, from nothing but tables."""
    return lambda several: SqlWords.of_streams(connection, [one for one, _ in several], terms)
