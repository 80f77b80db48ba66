"""Stores that can be filled at once while they are empty; declared by name, like a capability."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Loadable(ABC):
    """A store that takes very many new records faster than by one commit after another."""

    @abstractmethod
    def load(self, fill: Callable[[], T]) -> T:
        """Fill a store that never held anything: what `fill` commits here comes in together.

        By one thread, and new records only: no id and no slot comes twice. It is durable when this
        returns, and gone when `fill` fails. Nobody else can use the store meanwhile.

        Raises:
            ConflictError: There is something in it; `fill` was not called.
        """
