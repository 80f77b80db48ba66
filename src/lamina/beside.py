"""What lies beside a store and follows it, and who does things for a handle where the store is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lamina.core.principal import Principal
    from lamina.results import Erasure, ErasurePlan
    from lamina.stores.base import ScrubReport


class Beside(Protocol):
    """The files of a store, as far as a handle has to know of them."""

    def ask_again(self) -> None:
        """The settings of the store were changed."""

    def wrote(self) -> None:
        """Something was committed."""

    def scrub(self, probes: Sequence[bytes]) -> ScrubReport:
        """Remove what was erased, and look for it."""

    def showing(self, probes: Sequence[bytes]) -> tuple[str, ...]:
        """The files that hold what is to be erased."""

    def close(self) -> None:
        """The store is about to be closed."""


class Afar(Protocol):
    """The server of a handle whose store is elsewhere."""

    def recalls(self, near: Any, speaker: Principal) -> Any:
        """The recall path of a principal there, given the one that it would have here."""

    @property
    def erase(self) -> Callable[..., Erasure]:
        """What `lamina.erasing.erase` does, done there."""

    @property
    def plan(self) -> Callable[..., ErasurePlan]:
        """What `lamina.erasing.plan` finds, found there."""
