"""The records of a stream that hold any of some tokens, best first.

Common words have long lists and tell little. So the lists are walked from the most telling token
down, and once those that are left could not lift another record among the first, they are looked up
in the candidates alone. That changes no answer; whoever wants more than the first few has all lists
walked.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from lamina.core import bm25
from lamina.stores.sql.driver import ALL, Connection, Value, rows
from lamina.stores.sql.predicates import Predicate

FIRST: Final = 200
"""So many are told before the others are asked for: more than a recall looks at."""
LITTLE: Final = 4_000
"""Entries that are walked in no time."""
_STEP: Final = 4
_CANDIDATES: Final = 1_000
"""Each of them is looked up in each list that was not walked."""
_WORTH_IT: Final = 2
"""A part of the lists is walked first where it is at most one in so many of all entries."""
_CLOSE: Final = 10**-bm25.PRECISION * 10
"""Below this no sum in another order is relied on."""
_UNTOUCHED: Final = " and p.doc not in (select cast(value as bigint) from json_each(?))"
_AMONG: Final = " and p.doc in (select cast(value as bigint) from json_each(?))"
_SUM: Final = "select doc, {score} as score from ({gains}) as gained group by doc"
_EDGE: Final = (
    "with found as materialized ({found}),"
    " edge as (select score from found order by score desc limit 1 offset ?)"
    " select f.doc, f.score, e.score from found f, edge e where f.score >= e.score - ? limit ?"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A token that is looked for."""

    text: str
    worth: float
    """What a record gains by it, before how often it holds it."""
    documents: int
    """How many records hold it, at least."""


@dataclass(frozen=True, slots=True)
class Postings:
    """The lists of some tokens."""

    connection: Connection
    average: float
    """How many tokens a record has."""
    tokens: Sequence[Token]
    """The most telling first."""
    sight: Predicate | None
    """What of the stream is seen, unless it is everything."""
    touched: str | None
    """Records whose entries are not to be believed, as a JSON list."""

    def ranked(self) -> Iterator[tuple[int, float]]:
        """The records that hold any of the tokens, best first, and the newest among equals."""
        first = self._first()
        if not first:
            # All are added up either way; to hand over thousands takes as long again.
            first = list(self._every(FIRST))
            if len(first) < FIRST:
                yield from first
                return
        yield from first
        told = {rid for rid, _ in first}
        yield from (one for one in self._every() if one[0] not in told)

    def _every(self, limit: int = ALL) -> Iterator[tuple[int, float]]:
        found = self._found(self.tokens, self.connection.dialect.rounded % "sum(gain)")
        sql = f"{found.sql} order by score desc, doc desc limit ?"
        return rows(self.connection, sql, (*found.parameters, limit))

    def _first(self) -> list[tuple[int, float]]:
        """Those that stand at the head, as far as that is to be had for less than all."""
        every = sum(token.documents for token in self.tokens)
        walk = LITTLE
        while walk * _WORTH_IT < every:
            number = self._telling(walk)
            walked = sum(token.documents for token in self.tokens[:number])
            if walked * _WORTH_IT > every:
                break
            if head := self._head(self.tokens[:number], self.tokens[number:]):
                return head
            walk = max(walk, walked) * _STEP
        return []

    def _telling(self, walk: int) -> int:
        """How many tokens there are before so many entries have been walked; one at least."""
        walked, number = 0, 0
        for number, token in enumerate(self.tokens, start=1):
            walked += token.documents
            if walked > walk:
                return max(1, number - 1)
        return number

    def _head(self, walked: Sequence[Token], left: Sequence[Token]) -> list[tuple[int, float]]:
        """The first by what `walked` says, where nothing that is `left` can put others before."""
        most = _most(left)
        if most >= _most(walked):
            return []
        found = self._found(walked, "sum(gain)")
        sql = _EDGE.format(found=found.sql)
        given = (*found.parameters, FIRST - 1, most, _CANDIDATES + 1)
        near = list(rows(self.connection, sql, given))
        if not near or near[0][2] <= most or len(near) > _CANDIDATES:
            return []
        [*_, edge] = near[0]
        scores = {rid: score for rid, score, _ in near}
        for rid, more in self._lifted(left, list(scores)):
            scores[rid] += more
        # Those that were not looked at lie below the edge.
        head = [
            (rid, round(score, bm25.PRECISION))
            for rid, score in scores.items()
            if score > edge + _CLOSE
        ]
        return sorted(head, key=lambda one: (-one[1], -one[0]))

    def _lifted(self, left: Sequence[Token], rids: Sequence[int]) -> Iterator[tuple[int, float]]:
        listed = f"[{','.join(map(str, rids))}]"
        gains = self._gains(left, Predicate(_AMONG, (listed,)))
        sql = _SUM.format(score="sum(gain)", gains=gains.sql)
        return rows(self.connection, sql, gains.parameters)

    def _found(self, tokens: Sequence[Token], score: str) -> Predicate:
        """Asks for all records that hold some tokens and are seen, with their scores."""
        sql, parameters = "", list[Value]()
        if self.touched is not None:
            sql, parameters = _UNTOUCHED, [self.touched]
        if self.sight is not None:
            sql += self.connection.dialect.seen.format(self.sight.sql)
            parameters += self.sight.parameters
        gains = self._gains(tokens, Predicate(sql, tuple(parameters)))
        return Predicate(_SUM.format(score=score, gains=gains.sql), gains.parameters)

    def _gains(self, tokens: Sequence[Token], test: Predicate) -> Predicate:
        parameters: list[Value] = []
        for token in tokens:
            parameters += [token.worth, bm25.K1 + 1, bm25.K1, bm25.B, bm25.B, self.average]
            parameters += [token.text, *test.parameters]
        one_token = self.connection.dialect.postings % test.sql
        return Predicate(" union all ".join([one_token] * len(tokens)), tuple(parameters))


def _most(tokens: Sequence[Token]) -> float:
    """What a record gains at most that holds all of them, however often."""
    return sum(token.worth for token in tokens) * (bm25.K1 + 1)
