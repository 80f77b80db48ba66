"""What the shared SQL asks of the connections of one process."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from lamina.core.access import EVERYTHING, Reach
from lamina.stores.bell import Bell
from lamina.stores.sql.driver import Connection

T = TypeVar("T")


class Connections(Protocol):
    """All access to one database."""

    def reading(
        self, reach: Reach = EVERYTHING, *, snapshot: bool = True
    ) -> AbstractContextManager[Connection]:
        """A connection to read with, on one consistent snapshot unless one statement is enough.

        A database that can hold back what lies beyond the reach does so, whatever it is asked.
        """

    def write(self, work: Callable[[Connection], T], *, synced: bool = True) -> T:
        """Run `work` in a write transaction; it may be run again if others came in between."""

    def write_if_quiet(self, work: Callable[[Connection], object]) -> None:
        """Run `work` in a relaxed commit, unless others keep the store busy just now."""

    def bell(self) -> Bell:
        """What rings when anything was committed, here or by another process."""
