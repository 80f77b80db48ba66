"""What a forked child begins anew: its locks may be held by threads that are not there."""

import os
import weakref
from typing import Final, Protocol


class Renewable(Protocol):
    """Something with locks or threads of its own."""

    def renew(self) -> None:
        """Be as if nobody had used it yet."""


_KNOWN: Final[weakref.WeakSet[Renewable]] = weakref.WeakSet()


def renew_in_children(one: Renewable) -> None:
    """Have it begun anew in every child of this process."""
    _KNOWN.add(one)


def _renew() -> None:
    for one in list(_KNOWN):
        one.renew()


os.register_at_fork(after_in_child=_renew)
