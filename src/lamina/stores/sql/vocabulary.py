"""Which tokens of some streams stand for the terms of a query, and how many documents hold each.

A token is written as `<stream>:<token>`. Who sees a part of a stream is told of that part alone.
All streams are asked together, however many there are.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lamina.core import bm25
from lamina.core.text import Term
from lamina.stores.sql.driver import Asked, Connection, Value, answers
from lamina.stores.sql.predicates import Predicate
from lamina.stores.sql.streams import Stream

_LISTED: Final = "{term} in (select value from json_each(?))"
_WHOLE: Final = "select term, doc from word_count where "
_IN_SIGHT: Final = (
    # First the words and then who holds them: to look at every entry of a stream takes long.
    "select p.term, count(distinct p.doc) from word_posting p where {test}{seen} group by p.term"
)
_BEGINNING: Final = "p.term in (select term from word_count where {test})"
_RANGE: Final = "term >= ? and term < ?"
_LAST: Final = "\U0010ffff"
"""No token reaches beyond this: it is the last character there is."""
_AT_ONCE: Final = 16
"""Ranges in one statement: each is led by the index, and there are only so many statements."""
_LITTLE: Final = 4_000
"""A stream with so many tokens in all is small."""
_Found = list[dict[str, int]]
"""For each stream words, with the number of documents that hold them."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A stored token that stands for a term of the query."""

    token: str
    weight: float
    documents: int
    """How many hold it."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of some streams, as far as they are seen, at the time asked about."""

    connection: Connection
    streams: Sequence[Stream]

    def holders(self, terms: Sequence[Term]) -> list[dict[Term, int]]:
        """How many documents of each stream hold each term as it is."""
        tokens = [[_token(one, term.token) for term in terms] for one in self.streams]
        asked = list[Asked]()
        if whole := [token for one, its in self._each(tokens, whole=True) for token in its]:
            asked.append((_WHOLE + _LISTED.format(term="term"), (json.dumps(whole),)))
        listed = _LISTED.format(term="p.term")
        for one, its in self._each(tokens, whole=False):
            asked.append(_in_sight(self.connection, one, listed, (json.dumps(its),)))
        found = self._found(asked, [set(its).__contains__ for its in tokens])
        return [
            {term: known.get(token, 0) for term, token in zip(terms, its, strict=True)}
            for its, known in zip(tokens, found, strict=True)
        ]

    def variants(self, holders: Sequence[Mapping[Term, int]]) -> list[list[Variant]]:
        """What stands for the terms; longer words where a term is short or nothing holds it."""
        found = self._variants(holders, anywhere=False)
        without = [at for at, one in enumerate(found) if not one]
        if without:
            others = Vocabulary(self.connection, [self.streams[at] for at in without])
            again = others._variants([holders[at] for at in without], anywhere=True)
            for at, one in zip(without, again, strict=True):
                found[at] = one
        return found

    def _variants(
        self, holders: Sequence[Mapping[Term, int]], *, anywhere: bool
    ) -> list[list[Variant]]:
        pieces = [
            {
                term: bm25.looks_inside(known=bool(number), expand=term.expand, anywhere=anywhere)
                for term, number in held.items()
                if term.expand or not number
            }
            for held in holders
        ]
        words = self._words(pieces)
        return [
            list(_of_stream(*one)) for one in zip(self.streams, holders, pieces, words, strict=True)
        ]

    def _words(self, pieces: Sequence[Mapping[Term, bool]]) -> _Found:
        """Words that begin with each term; those that hold it anywhere as well where it says so."""
        tests = list(map(_any_of, self.streams, pieces))
        beginnings = list(map(_beginnings, self.streams, pieces))
        asked = list[Asked]()
        whole = [first for _, its in self._each(beginnings, whole=True) for first in its]
        for at in range(0, len(whole), _AT_ONCE):
            some = whole[at : at + _AT_ONCE]
            asked.append((" union all ".join([_WHOLE + _RANGE] * len(some)), _ranges(some)))
        for stream, its in self._each(beginnings, whole=False):
            asked += (self._asked(stream, _RANGE, _ranges([first])) for first in its)
        for stream, wanted in zip(self.streams, pieces, strict=True):
            inside = _inside(wanted)
            if inside and not _is_small(stream):
                # Once for all of them: it is a walk along every word of the stream.
                asked.append(self._asked(stream, *_holding(stream, inside)))
        return self._found(asked, tests)

    def _each(
        self, tokens: Sequence[list[str]], *, whole: bool
    ) -> Iterator[tuple[Stream, list[str]]]:
        """The streams that are asked for tokens, and are seen as a whole or only in part."""
        for stream, its in zip(self.streams, tokens, strict=True):
            if its and (stream.sight is None) is whole:
                yield stream, its

    def _asked(self, stream: Stream, test: str, parameters: tuple[Value, ...]) -> Asked:
        if stream.sight is None:
            return _WHOLE + test, parameters
        return _in_sight(self.connection, stream, _BEGINNING.format(test=test), parameters)

    def _found(self, asked: Sequence[Asked], holds: Sequence[Callable[[str], bool]]) -> _Found:
        """What comes of questions, for each stream as far as it passes a test."""
        found: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for answer in answers(self.connection, asked):
            for term, number in answer:
                found[term.partition(":")[0]][term] = number
        return [
            _as_then(stream, found.get(str(stream.sid), {}), test)
            for stream, test in zip(self.streams, holds, strict=True)
        ]


def plain(terms: Iterable[str]) -> tuple[str, ...]:
    """The tokens without the number of their stream."""
    return tuple(sorted({term.split(":", 1)[1] for term in terms}))


def _of_stream(
    stream: Stream, holders: Mapping[Term, int], pieces: Mapping[Term, bool], words: dict[str, int]
) -> Iterator[Variant]:
    for term, number in holders.items():
        token = _token(stream, term.token)
        if number:
            yield Variant(token, term.weight, number)
        if term not in pieces:
            continue
        starting = [word for word in words if word.startswith(token)]
        inside = [word for word in words if pieces[term] and _holds(stream, word, term.token)]
        for word, share in bm25.expansions(token, starting, inside).items():
            yield Variant(word, term.weight * share, words[word])


def _as_then(stream: Stream, today: dict[str, int], holds: Callable[[str], bool]) -> dict[str, int]:
    known = {term: number for term, number in today.items() if holds(term)}
    return stream.past.applied(known, holds) if stream.past else known


def _in_sight(
    connection: Connection, stream: Stream, test: str, parameters: tuple[Value, ...]
) -> Asked:
    sight = stream.sight or Predicate("")
    seen = connection.dialect.seen.format(sight.sql)
    return _IN_SIGHT.format(test=test, seen=seen), (*parameters, *sight.parameters)


def _ranges(beginnings: Sequence[str]) -> tuple[Value, ...]:
    return tuple(bound for first in beginnings for bound in (first, first + _LAST))


def _holding(stream: Stream, pieces: Sequence[str]) -> tuple[str, tuple[Value, ...]]:
    """Whether a token of a stream holds any of some pieces."""
    holding = " or ".join(["instr(term, ?) > 0"] * len(pieces))
    bounds = (f"{stream.sid}:", f"{stream.sid};")
    return f"term > ? and term < ? and ({holding})", (*bounds, *pieces)


def _beginnings(stream: Stream, pieces: Mapping[Term, bool]) -> list[str]:
    """How the words begin that are asked for: of a small stream it is quicker to read them all."""
    if pieces and _is_small(stream):
        return [_token(stream, "")]
    return [_token(stream, term.token) for term in pieces]


def _inside(pieces: Mapping[Term, bool]) -> list[str]:
    return [term.token for term, is_inside in pieces.items() if is_inside]


def _is_small(stream: Stream) -> bool:
    known = stream.counted
    return known is not None and known.documents * known.average <= _LITTLE


def _any_of(stream: Stream, pieces: Mapping[Term, bool]) -> Callable[[str], bool]:
    """Whether a word begins with a piece, or holds one that is looked for inside."""
    firsts = tuple(_token(stream, term.token) for term in pieces)
    inside = _inside(pieces)
    return lambda word: (
        word.startswith(firsts) or any(_holds(stream, word, piece) for piece in inside)
    )


def _holds(stream: Stream, word: str, piece: str) -> bool:
    return piece in word[len(f"{stream.sid}:") :]


def _token(stream: Stream, token: str) -> str:
    return f"{stream.sid}:{token}"
