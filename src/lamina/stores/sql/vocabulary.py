"""Which tokens of a stream stand for the terms of a query, and how many documents hold each.

A token is written as `<stream>:<token>`. Who sees a part of a stream is told of that part alone.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lamina.core import bm25
from lamina.core.text import Term
from lamina.stores.sql.driver import Asked, Connection, Value, answers
from lamina.stores.sql.old_words import Difference
from lamina.stores.sql.predicates import Predicate

_WHOLE: Final = "select term, doc from word_count where "
_IN_SIGHT: Final = (
    # First the words and then who holds them: to look at every entry of a stream takes long.
    "select term, count(distinct doc) from word_posting p"
    " where term in (select term from word_count where {test}){seen} group by term"
)


@dataclass(frozen=True, slots=True)
class Variant:
    """A stored token that stands for a term of the query."""

    token: str
    weight: float
    documents: int
    """How many hold it."""


@dataclass(frozen=True, slots=True)
class _Test:
    """A test that tokens pass or not, for the index and for what is not in it."""

    sql: str
    """Leaves all that pass; others may be among them."""
    parameters: tuple[Value, ...]
    holds: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of one stream, as far as they are seen, at the time asked about."""

    connection: Connection
    sid: int
    sight: Predicate | None
    """What can be seen, unless it is everything."""
    past: Difference | None

    def holders(self, terms: Sequence[Term]) -> dict[Term, int]:
        """How many documents hold each term as it is."""
        tokens = [f"{self.sid}:{term.token}" for term in terms]
        tests = [_Test("term = ?", (token,), token.__eq__) for token in tokens]
        counts = self._counts(tests)
        return {
            term: found.get(token, 0)
            for term, token, found in zip(terms, tokens, counts, strict=True)
        }

    def variants(self, holders: Mapping[Term, int]) -> list[Variant]:
        """What stands for the terms; longer words where a term is short or nothing holds it."""
        return self._variants(holders, anywhere=False) or self._variants(holders, anywhere=True)

    def _variants(self, holders: Mapping[Term, int], *, anywhere: bool) -> list[Variant]:
        pieces = {
            term: bm25.looks_inside(known=bool(number), expand=term.expand, anywhere=anywhere)
            for term, number in holders.items()
            if term.expand or not number
        }
        longer = dict(self._longer(pieces))
        found = []
        for term, number in holders.items():
            if number:
                found.append(Variant(f"{self.sid}:{term.token}", term.weight, number))
            found += longer.get(term, ())
        return found

    def _longer(self, pieces: Mapping[Term, bool]) -> Iterator[tuple[Term, list[Variant]]]:
        """Words that begin with each term; those that hold it anywhere as well where it says so."""
        tests = [self._beginning(term.token) for term in pieces]
        inside = [term.token for term, is_inside in pieces.items() if is_inside]
        # Once for all of them: it is a walk along every word of the stream.
        found_by = self._counts([*tests, *self._inside(inside)])
        holding = found_by[-1] if inside else {}
        for (term, is_inside), starting in zip(pieces.items(), found_by, strict=False):
            found = starting | self._that_hold(term.token, holding) if is_inside else starting
            shares = bm25.expansions(f"{self.sid}:{term.token}", starting, found)
            yield (
                term,
                [Variant(word, term.weight * share, found[word]) for word, share in shares.items()],
            )

    def _beginning(self, piece: str) -> _Test:
        first = f"{self.sid}:{piece}"
        # No token reaches beyond this bound: it is the last character there is.
        bounds = (first, f"{first}\U0010ffff")
        return _Test("term >= ? and term < ?", bounds, lambda word: word.startswith(first))

    def _inside(self, pieces: Sequence[str]) -> Iterator[_Test]:
        """Whether a token holds any of some pieces; no test where there are none."""
        if pieces:
            holding = " or ".join(["instr(term, ?) > 0"] * len(pieces))
            yield _Test(
                f"term > ? and term < ? and ({holding})",
                (f"{self.sid}:", f"{self.sid};", *pieces),
                lambda word: any(self._holds(word, piece) for piece in pieces),
            )

    def _that_hold(self, piece: str, words: Mapping[str, int]) -> dict[str, int]:
        return {word: number for word, number in words.items() if self._holds(word, piece)}

    def _holds(self, word: str, piece: str) -> bool:
        return piece in word[len(f"{self.sid}:") :]

    def _counts(self, tests: Sequence[_Test]) -> list[dict[str, int]]:
        """The words that pass each test, with the number of documents that hold them."""
        found = answers(self.connection, [self._asked(test) for test in tests])
        return [
            self._as_then(test, {term: number for term, number in rows if test.holds(term)})
            for test, rows in zip(tests, found, strict=True)
        ]

    def _asked(self, test: _Test) -> Asked:
        if self.sight is None:
            return _WHOLE + test.sql, test.parameters
        seen = self.connection.dialect.seen.format(self.sight.sql)
        sql = _IN_SIGHT.format(test=test.sql, seen=seen)
        return sql, (*test.parameters, *self.sight.parameters)

    def _as_then(self, test: _Test, today: dict[str, int]) -> dict[str, int]:
        return self.past.applied(today, test.holds) if self.past else today


def plain(terms: Iterable[str]) -> tuple[str, ...]:
    """The tokens without the number of their stream."""
    return tuple(sorted({term.split(":", 1)[1] for term in terms}))
