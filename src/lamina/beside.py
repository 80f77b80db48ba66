"""What lies beside a store and follows it; a handle tells it what happens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.stores.base import ScrubReport


class Beside(Protocol):
    """The files of a store, as far as a handle has to know of them."""

    def ask_again(self) -> None:
        """The settings of the store were changed."""

    def wrote(self) -> None:
        """Something was committed."""

    def scrub(self, probes: Sequence[bytes]) -> ScrubReport:
        """Remove what was erased, and look for it."""

    def close(self) -> None:
        """The store is about to be closed."""
