"""Whether both ends hold the same: every row before writers are held, sums while they are."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from lamina.core.access import EVERYTHING
from lamina.core.text import Term
from lamina.stores.questions import Search
from lamina.stores.sql.driver import Connection, Row, one, rows
from lamina.stores.sql.moving.ends import End
from lamina.stores.sql.moving.mirroring import STREAMS
from lamina.stores.sql.moving.tables import OF_RECORDS, Key, Table, rid_of

_PAGE: Final = 2000
_QUESTIONS: Final = 12
_WORDS: Final = 3
_SLACK: Final = 1e-6
"""How far two databases may be apart in adding up the same score."""
SUMS: Final = {
    "record": "count(*), sum(rid), sum(head), sum(length)",
    "version": "count(*), sum(vid), sum(prev), sum(to_seq)",
    "event": "count(*), sum(seq)",
    "sealed": "count(*), sum(rid)",
    "word": "count(*), sum(rowid)",
    "receipt": "count(*)",
    "usage": "count(*), sum(hits)",
}
Question: TypeAlias = tuple[Term, ...]
_NEXT: Final = "select w.body from word w where w.rowid >= ? order by w.rowid limit 1"


@dataclass(slots=True)
class Compared:
    """What a look at every row came to."""

    digests: dict[str, str] = field(default_factory=dict)
    """Of the rows of each table, as the source has them."""
    differing: set[int] = field(default_factory=set)
    """Records, by number, of which anything differs."""


def compare(source: End, target: End, tell: Callable[[int], None]) -> Compared:
    """Hold every row of every record against its copy."""
    compared = Compared()
    for table in OF_RECORDS:
        digest, after = hashlib.sha256(), None
        while True:
            here, there, last = _pages(source, target, table, after)
            if here != there:
                compared.differing |= {rid_of(table, row) for row in set(here) ^ set(there)}
            for row in here:
                digest.update(repr(row).encode("utf-8", "surrogatepass"))
            tell(len(here))
            if last is None:
                break
            after = last
        compared.digests[table.name] = digest.hexdigest()
    return compared


def _pages(
    source: End, target: End, table: Table, after: Key | None
) -> tuple[list[Row], list[Row], Key | None]:
    with source.read() as connection:
        here = table.page(connection, after, _PAGE)
    last = table.key_of(here[-1]) if len(here) == _PAGE else None
    with target.read() as connection:
        there = table.between(connection, after, last)
    return source.neutral(table, here), target.neutral(table, there), last


def sums(connection: Connection) -> dict[str, Row]:
    """The number of rows in each table, and what their numbers add up to."""
    found = {}
    for name, columns in SUMS.items():
        [found[name]] = rows(connection, f"select {columns} from {name}")
    return found


def unequal(connection: Connection, target: End) -> list[str]:
    """The tables that are not the same at both ends, as far as sums and heads tell."""
    here = sums(connection)
    with target.read() as reader:
        there = sums(reader)
        same_heads = STREAMS.between(connection) == STREAMS.between(reader)
    return [name for name in here if here[name] != there[name]] + ["stream"] * (not same_heads)


def questions(source: End) -> list[Question]:
    """Words of records here and there in the store, to ask both ends for."""
    asked = []
    with source.read() as connection:
        last = one(connection, "select max(rowid) from word") or 0
        for number in range(_QUESTIONS):
            body = one(connection, _NEXT, (last * number // _QUESTIONS,))
            if body:
                words = [word.partition(":")[2] for word in dict.fromkeys(body.split(" "))]
                longest = sorted(words, key=len, reverse=True)[:_WORDS]
                asked.append(tuple(Term(word, 1.0, expand=False) for word in longest))
    return list(dict.fromkeys(asked))


def answers_differ(source: End, target: End, asked: Question) -> bool:
    """Whether the two ends recall different records, or rank them otherwise."""
    search = Search(reach=EVERYTHING, terms=asked)
    here, there = (end.store.search(search).matches for end in (source, target))
    if [match.record for match in here] == [match.record for match in there]:
        return False
    # Those that score alike may change places.
    scores = zip((match.score for match in here), (match.score for match in there), strict=False)
    return len(here) != len(there) or any(abs(one - other) > _SLACK for one, other in scores)
