"""What the shared SQL asks of the connections of one process."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from lamina.stores.sql.driver import Connection

T = TypeVar("T")


class Connections(Protocol):
    """All access to one database."""

    def reading(self, *, snapshot: bool = True) -> AbstractContextManager[Connection]:
        """A connection to read with, on one consistent snapshot unless one statement is enough."""

    def write(self, work: Callable[[Connection], T], *, synced: bool = True) -> T:
        """Run `work` in a write transaction; it may be run again if others came in between."""
