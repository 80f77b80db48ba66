"""What a statement answers: everything, at once.

The connection is free for the next statement, whoever is still looking at the rows of this one.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from lamina.stores.sql.driver import Row


class Answer:
    """The rows of a statement, all of them here already."""

    def __init__(self, found: Sequence[Row]) -> None:
        self._left = iter(found)

    def __iter__(self) -> Iterator[Row]:
        return self._left

    def fetchone(self) -> Row | None:
        return next(self._left, None)

    def fetchall(self) -> list[Row]:
        """Those that were not taken yet."""
        return list(self._left)

    def first(self) -> Any:
        """The first column of the first row, or nothing."""
        row = next(self._left, None)
        return None if row is None else row[0]

    def close(self) -> None:
        self._left = iter(())
