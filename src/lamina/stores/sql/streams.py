"""The streams that a search looks through, each as it is seen at the time asked about."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lamina.core.bm25 import Statistics
from lamina.core.filters import Filter
from lamina.core.scope import Scope
from lamina.stores.questions import Search
from lamina.stores.sql.driver import Connection, answers, rows
from lamina.stores.sql.old_words import Difference, difference
from lamina.stores.sql.predicates import Predicate, everything


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


def statistics(connection: Connection, several: Sequence[Stream]) -> list[Statistics]:
    """The statistics of what can be seen of each."""
    sights = [one.sight for one in several if one.counted is None and one.sight is not None]
    counted = connection.dialect.counted
    found = iter(answers(connection, [(counted + one.sql, one.parameters) for one in sights]))
    return [_statistics(one, found) for one in several]


def _statistics(stream: Stream, found: Iterator[list[tuple[int, int]]]) -> Statistics:
    if stream.counted is not None:
        return stream.counted
    if stream.sight is None:
        return Statistics(0, 0.0)
    [(documents, tokens)] = next(found)
    return _as_then(documents, tokens, stream.past)


def _as_then(documents: int, tokens: int, past: Difference | None) -> Statistics:
    if past is None:
        return Statistics.of(documents, tokens)
    return Statistics.of(documents + past.number, tokens + past.tokens)
