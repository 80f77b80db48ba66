"""The steps that a run over a folder is made of: each of them is about one whole file."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from lamina.sources.catalog import Entry, Piece

F = TypeVar("F")
S = TypeVar("S")
_BATCH_FILES: Final = 64
_BATCH_CHUNKS: Final = 256


@dataclass(frozen=True, slots=True)
class Step:
    """One file as it is to be known from now on; without an entry it is to be forgotten."""

    file: str
    entry: Entry | None
    texts: dict[str, str] = field(default_factory=dict)


class MovedOnError(Exception):
    """A file is not what the catalog says, and has to come along."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.file = file


def is_full(batch: list[Step]) -> bool:
    """Whether these are enough for one commit."""
    chunks = sum(len(step.texts) for step in batch)
    return len(batch) >= _BATCH_FILES or chunks >= _BATCH_CHUNKS


def in_batches(
    files: Sequence[F],
    begun: list[S],
    step: Callable[[F], S | None],
    is_enough: Callable[[list[S]], bool],
    tell: Callable[[float], None],
) -> Iterator[list[S]]:
    """The steps that files ask for, as many at a time as go into one commit.

    The last batch may be empty.
    """
    batch = begun
    for number, found in enumerate(files):
        made = step(found)
        if made is not None:
            batch.append(made)
        if is_enough(batch):
            yield batch
            batch = []
        tell((number + 1) / len(files))
    yield batch


def pieces_of(entry: Entry | None) -> tuple[Piece, ...]:
    """The chunks of a file; none of one that is not known."""
    return entry.pieces if entry else ()
