"""The keyword index: FTS5 as a postings store, BM25 in SQL with each stream's own statistics.

FTS5's own ranking uses the statistics of the whole table, so one tenant's documents would move
another's scores. Here a token is written as `<stream>:<token>`, which makes postings, document
counts and vocabulary the stream's own, and the formula of `lamina.core.bm25` is spelled out in SQL.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from lamina.core import bm25, canonical
from lamina.core.access import Reach
from lamina.core.filters import Filter
from lamina.core.text import Term
from lamina.stores.base import Match, Search
from lamina.stores.sqlite.driver import Connection, Value, rows
from lamina.stores.sqlite.predicates import Predicate, everything
from lamina.stores.sqlite.rows import RECORD_COLUMNS, to_record

_POSTINGS: Final = (
    "select doc, term, ? * count(*) * ? / (count(*) + ? * (1 - ? + ? * r.length / ?)) as gain"
    " from word_posting p join record r on r.rid = p.doc where p.term = ? group by doc"
)


@dataclass(frozen=True, slots=True)
class _Stream:
    sid: int
    documents: int
    average: float
    sight: Predicate | None
    """What can be seen, unless it is everything: words beyond it do not exist."""


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
        for stream in _streams(connection, wanted.reach)
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
    if not variants:
        return
    parameters: list[Value] = []
    for token, weight, containing in variants[: bm25.MAX_VARIANTS]:
        worth = weight * bm25.idf(stream.documents, containing)
        parameters += [worth, bm25.K1 + 1, bm25.K1, bm25.B, bm25.B, stream.average, token]
    gains = " union all ".join([_POSTINGS] * min(len(variants), bm25.MAX_VARIANTS))
    sql = (
        f"select {RECORD_COLUMNS}, r.rid, round(sum(g.gain), ?) as score,"
        f" json_group_array(distinct g.term) from ({gains}) g"
        " join record r on r.rid = g.doc join version v on v.vid = r.head"
        f" where {where.sql}"
        " group by r.rid order by score desc, r.rid desc limit ?"
    )
    limit = -1 if wanted.limit is None else wanted.limit
    every = (bm25.PRECISION, *parameters, *where.parameters, limit)
    for *record, rid, score, terms in rows(connection, sql, every):
        yield Match(to_record(tuple(record)), score, _plain(terms)), rid


def _streams(connection: Connection, reach: Reach) -> list[_Stream]:
    sql = "select sid, documents, tokens, name from stream where documents > 0"
    names, within = reach.streams(), everything(reach, Filter(), None)
    return [
        _Stream(sid, documents, tokens / documents, None if reach.sees_stream(name) else within)
        for sid, documents, tokens, name in list(rows(connection, sql))
        if names is None or name in names
    ]


def _variants(
    connection: Connection, stream: _Stream, terms: Iterable[Term], *, anywhere: bool
) -> Iterator[tuple[str, float, int]]:
    """The stored tokens that stand for the query's terms: (token, weight, documents with it)."""
    for term in terms:
        token = f"{stream.sid}:{term.token}"
        containing = _vocabulary(connection, stream, "term = ?", (token,)).get(token, 0)
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
    # No token reaches beyond this bound: it is the last character there is.
    prefix = (f"{start}{piece}", f"{start}{piece}\U0010ffff")
    found = starting = _vocabulary(connection, stream, "term >= ? and term < ?", prefix)
    if inside:
        test = "term > ? and term < ? and instr(substr(term, ?), ?)"
        within = (start, f"{stream.sid};", len(start) + 1, piece)
        found = starting | _vocabulary(connection, stream, test, within)
    for word, share in bm25.expansions(f"{start}{piece}", starting, found).items():
        yield word, share, found[word]


def _vocabulary(
    connection: Connection, stream: _Stream, test: str, parameters: tuple[Value, ...]
) -> dict[str, int]:
    """The words that pass a test, each with the number of documents that hold it."""
    if stream.sight is None:
        return dict(rows(connection, f"select term, doc from word_count where {test}", parameters))
    sql = (
        "select term, count(distinct doc) from word_posting join record r on r.rid = doc"
        f" join version v on v.vid = r.head where {test} and {stream.sight.sql} group by term"
    )
    return dict(rows(connection, sql, (*parameters, *stream.sight.parameters)))


def _plain(terms: str) -> tuple[str, ...]:
    """The tokens without the number of their stream."""
    return tuple(sorted(term.split(":", 1)[1] for term in canonical.loads(terms, "terms")))
