"""The keyword index: postings in tables, BM25 in SQL with each stream's own statistics.

A database's own ranking uses the statistics of the whole table, so one tenant's documents would
move another's scores. Here a token is written as `<stream>:<token>`, which makes postings, document
counts and vocabulary the stream's own, and the formula of `lamina.core.bm25` is spelled out in SQL.
"""

import heapq
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lamina.core import bm25
from lamina.core.bm25 import Statistics
from lamina.core.filters import Filter
from lamina.core.scope import Scope
from lamina.core.text import Term
from lamina.stores.questions import Search
from lamina.stores.sql.driver import Connection, rows
from lamina.stores.sql.old_words import Difference, difference
from lamina.stores.sql.postings import Postings, Token
from lamina.stores.sql.predicates import Predicate, everything
from lamina.stores.sql.vocabulary import Vocabulary, plain

_BODIES: Final = (
    "select rowid, body from word where rowid in (select cast(value as bigint) from json_each(?))"
)


@dataclass(frozen=True, slots=True)
class Stream:
    """One stream as a search sees it, at the time it asks about."""

    sid: int
    name: str
    documents: int
    """All there are today, seen or not: how much there is to look through."""
    counted: Statistics | None
    """The statistics, where everything can be seen."""
    sight: Predicate | None
    """What can be seen, unless it is everything: what is beyond it does not exist."""
    past: Difference | None
    """How the index differed at the time asked about."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What a record holds of the words of a query."""

    score: float
    terms: tuple[str, ...]


def body(sid: int, terms: Sequence[str]) -> str:
    """The tokens of a record as they are kept: each behind the number of its stream."""
    start = f"{sid}:"
    return start + f" {start}".join(terms) if terms else ""


def streams(connection: Connection, wanted: Search) -> Iterator[Stream]:
    """The streams within reach that may hold anything."""
    sql = "select sid, documents, tokens, name from stream order by name"
    names = wanted.reach.streams()
    for sid, documents, tokens, name in list(rows(connection, sql)):
        if names is not None and name not in names:
            continue
        past = None
        if wanted.as_of is not None:
            past = difference(connection, (name, sid), wanted.as_of, wanted.reach)
        if wanted.reach.sees_stream(name):
            counted = _as_then(documents, tokens, past)
            yield Stream(sid, name, documents, counted, None, past)
        elif documents or past is not None:
            # Of this stream alone: what else is within reach need not be looked through.
            sight = everything(wanted.reach.within(Scope.of(name)), Filter(), None)
            yield Stream(sid, name, documents, None, sight, past)


class SqlWords:
    """One query's words in the postings of a stream."""

    def __init__(self, connection: Connection, stream: Stream, terms: Sequence[Term]) -> None:
        self._connection = connection
        self._stream = stream
        self.statistics = _statistics(connection, stream)
        every = self.statistics.documents
        vocabulary = Vocabulary(connection, stream.sid, stream.sight, stream.past)
        holders = vocabulary.holders(terms)
        self.worths: Mapping[str, float] = {
            term.token: term.weight * bm25.idf(every, number) for term, number in holders.items()
        }
        variants = vocabulary.variants(holders)[: bm25.MAX_VARIANTS]
        self._tokens = [
            Token(one.token, one.weight * bm25.idf(every, one.documents), one.documents)
            for one in variants
        ]

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
        listed = json.dumps([rid for rid in rids if rid not in past])
        bodies = rows(self._connection, _BODIES, (listed,))
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


def _statistics(connection: Connection, stream: Stream) -> Statistics:
    if stream.counted is not None:
        return stream.counted
    if stream.sight is None:
        return Statistics(0, 0.0)
    sql = connection.dialect.counted + stream.sight.sql
    [(documents, tokens)] = rows(connection, sql, stream.sight.parameters)
    return _as_then(documents, tokens, stream.past)


def _as_then(documents: int, tokens: int, past: Difference | None) -> Statistics:
    if past is None:
        return Statistics.of(documents, tokens)
    return Statistics.of(documents + past.number, tokens + past.tokens)
