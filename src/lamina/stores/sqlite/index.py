"""The keyword index: FTS5 as a postings store, BM25 in SQL with each stream's own statistics.

FTS5's own ranking uses the statistics of the whole table, so one tenant's documents would move
another's scores. Here a token is written as `<stream>:<token>`, which makes postings, document
counts and vocabulary the stream's own, and the formula of `lamina.core.bm25` is spelled out in SQL.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lamina.core import bm25, canonical
from lamina.core.filters import Filter
from lamina.core.text import Term
from lamina.stores.questions import Search
from lamina.stores.sqlite.driver import Connection, Value, rows
from lamina.stores.sqlite.old_words import Difference, difference
from lamina.stores.sqlite.predicates import Predicate, everything

_POSTINGS: Final = (
    "select doc, term, ? * count(*) * ? / (count(*) + ? * (1 - ? + ? * r.length / ?)) as gain"
    " from word_posting p join record r on r.rid = p.doc where p.term = ?%s group by doc"
)
_UNTOUCHED: Final = " and p.doc not in (select value from json_each(?))"


@dataclass(frozen=True, slots=True)
class Stream:
    """One stream as a search sees it, at the time it asks about."""

    sid: int
    name: str
    documents: int
    average: float
    sight: Predicate | None
    """What can be seen, unless it is everything: words beyond it do not exist."""
    past: Difference | None
    """How the index differed at the time asked about."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What a record holds of the words of a query."""

    score: float
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """The words of a query as one stream knows them."""

    worths: Mapping[str, float]
    """What each term of the query tells here."""
    variants: tuple[tuple[str, float], ...]
    """The stored tokens that stand for them, each with what it adds to a score at most."""


@dataclass(frozen=True, slots=True)
class _Words:
    """A test that tokens pass or not, for the index and for what is not in it."""

    sql: str
    parameters: tuple[Value, ...]
    holds: Callable[[str], bool]


def add(connection: Connection, sid: int, rid: int, terms: Sequence[str]) -> None:
    """Index a record that is not indexed; the caller keeps the counts."""
    body = " ".join(f"{sid}:{token}" for token in terms)
    connection.execute("insert into word (rowid, body) values (?, ?)", (rid, body))


def drop(connection: Connection, rid: int) -> None:
    """Take an indexed record out of the index; the caller keeps the counts."""
    connection.execute("delete from word where rowid = ?", (rid,))


def streams(connection: Connection, wanted: Search) -> Iterator[Stream]:
    """The streams within reach that hold anything."""
    sql = "select sid, documents, tokens, name from stream"
    names, within = wanted.reach.streams(), everything(wanted.reach, Filter(), None)
    for sid, documents, tokens, name in list(rows(connection, sql)):
        if names is not None and name not in names:
            continue
        past = None
        if wanted.as_of is not None:
            past = difference(connection, (name, sid), wanted.as_of, wanted.reach)
            documents, tokens = documents + past.number, tokens + past.tokens
        if documents:
            sight = None if wanted.reach.sees_stream(name) else within
            yield Stream(sid, name, documents, tokens / documents, sight, past)


def asked(connection: Connection, stream: Stream, terms: Sequence[Term]) -> Asked:
    """Look up the words of a query."""
    holders = {term: _holders(connection, stream, term) for term in terms}
    worths = {
        term.token: term.weight * bm25.idf(stream.documents, number)
        for term, number in holders.items()
    }
    variants = list(_variants(connection, stream, holders, anywhere=False)) or list(
        _variants(connection, stream, holders, anywhere=True)
    )
    known = (
        (token, weight * bm25.idf(stream.documents, containing))
        for token, weight, containing in variants[: bm25.MAX_VARIANTS]
    )
    return Asked(worths, tuple(known))


def best(
    connection: Connection, stream: Stream, words: Asked, wanted: tuple[Predicate, int | None]
) -> dict[int, Scored]:
    """The records that hold most of the words, best first, among those that are wanted."""
    if not words.variants:
        return {}
    where, limit = wanted
    touched = () if stream.past is None else (stream.past.touched,)
    parameters: list[Value] = []
    for token, worth in words.variants:
        parameters += [worth, bm25.K1 + 1, bm25.K1, bm25.B, bm25.B, stream.average, token, *touched]
    gains = " union all ".join([_POSTINGS % (_UNTOUCHED if touched else "")] * len(words.variants))
    sql = (
        "select r.rid, round(sum(g.gain), ?) as score, json_group_array(distinct g.term)"
        f" from ({gains}) g join record r on r.rid = g.doc join version v on v.vid = r.head"
        f" where {where.sql} group by r.rid order by score desc, r.rid desc limit ?"
    )
    every = (bm25.PRECISION, *parameters, *where.parameters, -1 if limit is None else limit)
    return {
        rid: Scored(score, _plain(canonical.loads(held, "terms")))
        for rid, score, held in rows(connection, sql, every)
    }


def scored(document: Counter[str], words: Asked, average: float) -> Scored:
    """What one document holds of the words."""
    length = document.total()
    held = [(token, worth) for token, worth in words.variants if token in document]
    score = sum(worth * bm25.part(document[token], length, average) for token, worth in held)
    return Scored(round(score, bm25.PRECISION), _plain(token for token, _ in held))


def of(
    connection: Connection, stream: Stream, words: Asked, rids: Iterable[int]
) -> dict[int, Scored]:
    """What these records hold of the words, for those that hold any."""
    sql = "select rowid, body from word where rowid in (select value from json_each(?))"
    found = {
        rid: scored(Counter(body.split(" ")), words, stream.average)
        for rid, body in rows(connection, sql, (json.dumps(list(rids)),))
    }
    return {rid: one for rid, one in found.items() if one.terms}


def _holders(connection: Connection, stream: Stream, term: Term) -> int:
    token = f"{stream.sid}:{term.token}"
    exactly = _Words("term = ?", (token,), token.__eq__)
    return _vocabulary(connection, stream, exactly).get(token, 0)


def _variants(
    connection: Connection, stream: Stream, holders: Mapping[Term, int], *, anywhere: bool
) -> Iterator[tuple[str, float, int]]:
    """The stored tokens that stand for the query's terms: (token, weight, documents with it)."""
    for term, containing in holders.items():
        if containing:
            yield f"{stream.sid}:{term.token}", term.weight, containing
        inside = bm25.looks_inside(known=bool(containing), expand=term.expand, anywhere=anywhere)
        if term.expand or not containing:
            for word, share, documents in _expansions(
                connection, stream, term.token, inside=inside
            ):
                yield word, term.weight * share, documents


def _expansions(
    connection: Connection, stream: Stream, piece: str, *, inside: bool
) -> Iterator[tuple[str, float, int]]:
    start = f"{stream.sid}:"
    first = f"{start}{piece}"
    # No token reaches beyond this bound: it is the last character there is.
    prefix = (first, f"{first}\U0010ffff")
    beginning = _Words("term >= ? and term < ?", prefix, lambda word: word.startswith(first))
    found = starting = _vocabulary(connection, stream, beginning)
    if inside:
        test = "term > ? and term < ? and instr(substr(term, ?), ?)"
        within = (start, f"{stream.sid};", len(start) + 1, piece)
        anywhere = _Words(test, within, lambda word: piece in word[len(start) :])
        found = starting | _vocabulary(connection, stream, anywhere)
    for word, share in bm25.expansions(first, starting, found).items():
        yield word, share, found[word]


def _vocabulary(connection: Connection, stream: Stream, words: _Words) -> dict[str, int]:
    """The words that pass a test, each with the number of documents that hold it."""
    if stream.sight is None:
        sql, parameters = f"select term, doc from word_count where {words.sql}", words.parameters
    else:
        sql = (
            "select term, count(distinct doc) from word_posting join record r on r.rid = doc"
            " join version v on v.vid = r.head"
            f" where {words.sql} and {stream.sight.sql} group by term"
        )
        parameters = (*words.parameters, *stream.sight.parameters)
    found = dict(rows(connection, sql, parameters))
    return stream.past.applied(found, words.holds) if stream.past else found


def _plain(terms: Iterable[str]) -> tuple[str, ...]:
    """The tokens without the number of their stream."""
    return tuple(sorted({term.split(":", 1)[1] for term in terms}))
