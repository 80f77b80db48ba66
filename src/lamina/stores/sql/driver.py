"""What the shared SQL asks of a connection, whatever database is behind it.

Marks for parameters are `?`, or `?1` where one is used twice. A list goes in as one JSON text and
is read with `json_each`. Hints to SQLite's planner may stand in the text: others leave them out.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

Value: TypeAlias = str | int | float | bytes | None
Row: TypeAlias = tuple[Any, ...]
Indexed: TypeAlias = tuple[int, int, Sequence[str]]
"""A record to be indexed: its stream's number, its own, and its terms."""
Asked: TypeAlias = tuple[str, tuple[Value, ...]]
"""A statement with its parameters."""
ALL: Final = 2**62
"""A limit that nothing reaches."""


class Rows(Protocol):
    """What a statement answers."""

    def __iter__(self) -> Iterator[Row]:
        """One row after the other."""

    def fetchone(self) -> Row | None:
        """The next one, if there is any."""

    def close(self) -> None:
        """End the statement; what fails there is heard."""


class Connection(Protocol):
    """One connection to a database, used by one thread at a time."""

    @property
    def dialect(self) -> "Dialect":
        """What this database does in its own way."""

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction was begun and has not ended."""

    def execute(self, sql: str, parameters: tuple[Value, ...] = (), /) -> Rows:
        """Carry out a statement."""

    def executemany(self, sql: str, rows: Iterable[tuple[Value, ...]], /) -> object:
        """Carry out a statement for each of many."""

    def changes(self) -> int:
        """How many rows the last statement changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What a database does in its own way."""

    error: type[Exception]
    """What its driver raises."""
    format: int
    """The newest schema that this version of Lamina knows."""
    numbers: Callable[[Connection, int], Iterator[int]]
    """The numbers of the next versions, so many."""
    foreseen: Callable[[int], Sequence[Asked]] = lambda number: ()
    """Asks for so many of them in advance, where each question is a way there and back."""
    home: str = ""
    """The column of a stream that says where its rows lie, in a database that can keep those of a
    large one apart; versions and events then name it too, and versions their stream."""
    takes_hints: bool = False
    """Whether it is worth finding out which way through the tables is the short one."""
    task: str
    """The task that the data of version `v` names, spelled like the index over it."""
    receipt_stream: str
    """The first stream that a receipt `x` names."""
    receipt_seq: str
    """How far that had come then."""
    postings: str
    """Asks which documents hold a term and what each gains by it, with room for one more test."""
    counted: str
    """Asks how many documents are indexed, and how many tokens they have, of those that pass a test
    of scope and layer, which comes behind it."""
    seen: str
    """Leaves of postings `p` those of records that pass such a test, which comes in its place."""
    rounded: str
    """Rounds a score, put in the place of the mark, to as many places as `bm25` does."""
    add_words: Callable[[Connection, Sequence[Indexed]], None]
    """Index records that are not indexed; the caller counts."""
    drop_words: Callable[[Connection, int], None]
    """Take an indexed record out of the index; the caller counts."""
    drop_vectors: Callable[[Connection, int], None]
    """Take the vectors of a record away, whose versions are gone."""
    at_once: Callable[[Connection], AbstractContextManager[None]] = lambda _: nullcontext()
    """Within it no statement's answer is asked for; where a wire is long they go together."""
    answers: Callable[[Connection, Sequence[Asked]], list[list[Row]]] = lambda connection, asked: [
        list(connection.execute(sql, parameters)) for sql, parameters in asked
    ]
    """What several statements answer, none of which needs another's; where a wire is long they go
    together."""
    each: Callable[[Connection, str, tuple[Value, ...]], Iterator[Row]] = (
        lambda connection, sql, parameters: rows(connection, sql, parameters)
    )
    """The rows of a statement in a transaction, not all at once however many there are."""
    patiently: Callable[[Connection, float], AbstractContextManager[None]] = (
        lambda connection, seconds: nullcontext()
    )
    """Within it each statement may take so long, where there are limits."""
    vectors: str = "vector x join record r on r.rid = x.rid"
    """Every vector `x` that counts, with its record `r`."""
    vector_body: str = "x.body"
    """The body of a vector `x` as the driver hands it out."""
    kept: str = ""
    """Behind a query for records: none of them is erased before this transaction ends."""
    alone: str = ""
    """Behind a query for a record: whoever keeps it is waited for, and nobody else will."""
    is_removed: Callable[[Exception], bool] = lambda error: False
    """Whether a whole table is not there any more, which no repair makes again."""
    check_held: Callable[[Connection, str], None] = lambda connection, stream: None
    """Refuse to look at a stream that a commit has not locked, where streams have locks."""
    meet_erases: Callable[[Connection, bool], None] = lambda connection, erases: None
    """Before notices are written or, by an erase, taken away: let the two not happen at once."""


def rows(connection: Connection, sql: str, parameters: tuple[Value, ...] = ()) -> Iterator[Row]:
    """The rows of a statement; our own schema says what their columns are."""
    yield from connection.execute(sql, parameters)


def answers(connection: Connection, asked: Sequence[Asked]) -> list[list[Row]]:
    """The rows of several statements, none of which needs another's answer."""
    return connection.dialect.answers(connection, asked) if asked else []


def each(connection: Connection, sql: str, parameters: tuple[Value, ...] = ()) -> Iterator[Row]:
    """The same where there may be any number of them; only within a transaction."""
    return connection.dialect.each(connection, sql, parameters)


def one(connection: Connection, sql: str, parameters: tuple[Value, ...] = ()) -> Any:
    """The first column of the first row, or nothing."""
    found = connection.execute(sql, parameters)
    row = found.fetchone()
    # A statement that commits does so at its end, and what fails there must be heard.
    found.close()
    return None if row is None else row[0]
