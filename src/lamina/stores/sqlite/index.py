"""The keyword index: FTS5 as a postings store, BM25 in SQL with each stream's own statistics.

FTS5's own ranking uses the statistics of the whole table, so one tenant's documents would move
another's scores. Here a token is written as `<stream>:<token>`, which makes postings, document
counts and vocabulary the stream's own, and the formula of `lamina.core.bm25` is spelled out in SQL.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from lamina.core import bm25, canonical
from lamina.core.filters import Filter, matches
from lamina.core.record import Record
from lamina.core.text import Term
from lamina.stores.base import Match, Search
from lamina.stores.sqlite.driver import Connection, Value, rows
from lamina.stores.sqlite.old_words import Difference, Document, difference
from lamina.stores.sqlite.predicates import Predicate, everything
from lamina.stores.sqlite.rows import RECORD_COLUMNS, to_record

_POSTINGS: Final = (
    "select doc, term, ? * count(*) * ? / (count(*) + ? * (1 - ? + ? * r.length / ?)) as gain"
    " from word_posting p join record r on r.rid = p.doc where p.term = ?%s group by doc"
)
_UNTOUCHED: Final = " and p.doc not in (select value from json_each(?))"


@dataclass(frozen=True, slots=True)
class _Stream:
    sid: int
    documents: int
    average: float
    sight: Predicate | None
    """What can be seen, unless it is everything: words beyond it do not exist."""
    past: Difference | None
    """How the index differed at the time asked about."""


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


def search(connection: Connection, wanted: Search) -> list[Match]:
    """The best matches over all streams within reach."""
    where = everything(wanted.reach, wanted.where, wanted.live_at)
    found = [
        match
        for stream in _streams(connection, wanted)
        for match in _search_stream(connection, stream, wanted, where)
    ]
    found.sort(key=lambda ranked: (-ranked[0].score, -ranked[1]))
    return [match for match, _ in found[: wanted.limit]]


def _search_stream(
    connection: Connection, stream: _Stream, wanted: Search, where: Predicate
) -> Iterator[tuple[Match, int]]:
    variants = list(_variants(connection, stream, wanted.terms, anywhere=False)) or list(
        _variants(connection, stream, wanted.terms, anywhere=True)
    )
    worths = [
        (token, weight * bm25.idf(stream.documents, containing))
        for token, weight, containing in variants[: bm25.MAX_VARIANTS]
    ]
    if worths:
        yield from _in_index(connection, stream, worths, (where, wanted.limit))
    if worths and stream.past:
        for document in stream.past.documents:
            if _is_wanted(document.record, wanted) and (match := _scored(document, worths, stream)):
                yield match, document.rid


def _in_index(
    connection: Connection,
    stream: _Stream,
    worths: Sequence[tuple[str, float]],
    wanted: tuple[Predicate, int | None],
) -> Iterator[tuple[Match, int]]:
    where, limit = wanted
    touched = () if stream.past is None else (stream.past.touched,)
    parameters: list[Value] = []
    for token, worth in worths:
        parameters += [worth, bm25.K1 + 1, bm25.K1, bm25.B, bm25.B, stream.average, token, *touched]
    gains = " union all ".join([_POSTINGS % (_UNTOUCHED if touched else "")] * len(worths))
    sql = (
        f"select {RECORD_COLUMNS}, r.rid, round(sum(g.gain), ?) as score,"
        f" json_group_array(distinct g.term) from ({gains}) g"
        " join record r on r.rid = g.doc join version v on v.vid = r.head"
        f" where {where.sql}"
        " group by r.rid order by score desc, r.rid desc limit ?"
    )
    every = (bm25.PRECISION, *parameters, *where.parameters, -1 if limit is None else limit)
    for *record, rid, score, terms in rows(connection, sql, every):
        held = canonical.loads(terms, "terms")
        yield Match(to_record(tuple(record)), score, _plain(held)), rid


def _scored(
    document: Document, worths: Sequence[tuple[str, float]], stream: _Stream
) -> Match | None:
    held = [(token, worth) for token, worth in worths if token in document.terms]
    if not held:
        return None
    score = sum(worth * document.gain(token, stream.average) for token, worth in held)
    return Match(document.record, round(score, bm25.PRECISION), _plain(token for token, _ in held))


def _is_wanted(record: Record, wanted: Search) -> bool:
    live = wanted.live_at is None or record.is_live(wanted.live_at)
    return live and wanted.reach.sees(record) and matches(record, wanted.where)


def _streams(connection: Connection, wanted: Search) -> Iterator[_Stream]:
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
            yield _Stream(sid, documents, tokens / documents, sight, past)


def _variants(
    connection: Connection, stream: _Stream, terms: Iterable[Term], *, anywhere: bool
) -> Iterator[tuple[str, float, int]]:
    """The stored tokens that stand for the query's terms: (token, weight, documents with it)."""
    for term in terms:
        token = f"{stream.sid}:{term.token}"
        exactly = _Words("term = ?", (token,), token.__eq__)
        containing = _vocabulary(connection, stream, exactly).get(token, 0)
        if containing:
            yield token, term.weight, containing
        inside = bm25.looks_inside(known=bool(containing), expand=term.expand, anywhere=anywhere)
        if term.expand or not containing:
            for word, share, documents in _expansions(
                connection, stream, term.token, inside=inside
            ):
                yield word, term.weight * share, documents


def _expansions(
    connection: Connection, stream: _Stream, piece: str, *, inside: bool
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


def _vocabulary(connection: Connection, stream: _Stream, words: _Words) -> dict[str, int]:
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
