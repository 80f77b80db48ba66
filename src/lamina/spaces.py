"""Whose vectors a store holds: which embedder answers, and how another takes over from it.

A store says whose vectors it compares. Another embedder takes over only when somebody has asked for
it, and only once its vectors are made; until then the one before goes on answering.
"""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Final

from lamina import config
from lamina.clock import stopwatch
from lamina.core.embedder_spec import OFF
from lamina.core.settings import EMBEDDER, effective
from lamina.errors import EmbedderError, StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.embedders.checking import CheckedEmbedder
    from lamina.embedders.protocol import Embedder
    from lamina.stores.base import Store

ACTIVE: Final = "vectors.active"
"""The space that recall compares in."""
WANTED: Final = "vectors.wanted"
"""The space that is to be the active one; the same unless the embedder is being changed."""
SPEC: Final = "vectors.spec"
"""The name of the embedder that made the active space, for questions until another takes over."""
UNRELATED: Final = "vectors.unrelated"
"""How near texts with nothing in common lie in the active and the wanted space, as JSON."""
_BELIEVED_SECONDS: Final = 1.0


class Spaces:
    """The spaces of one store, and the embedders that one process has for them."""

    def __init__(self, store: Store, given: Embedder | None = None) -> None:
        self._store = store
        self._given = given
        self._on, self._asked_at = True, -_BELIEVED_SECONDS
        self._mine: tuple[str, CheckedEmbedder | None] | None = None
        self._checked: CheckedEmbedder | None = None
        self._measured: dict[str, float] = {}

    def name(self, chosen: Mapping[str, str]) -> str:
        """What people call the embedder in force."""
        if self._given is None:
            return effective(chosen)[EMBEDDER]
        return self._checked.fingerprint if self._checked else type(self._given).__name__

    def embedder(self) -> CheckedEmbedder | None:
        """The embedder in force, which the store chooses unless this process was given one."""
        from lamina.embedders.checking import checked

        if self._given is not None:
            found = checked(self._given)
            if self._checked is None or self._checked.fingerprint != found.fingerprint:
                self._checked = found
            return self._checked
        spec = effective(self._store.settings())[EMBEDDER]
        if self._mine is None or self._mine[0] != spec:
            from lamina.embedders.registry import open_embedder

            self._mine = (spec, open_embedder(spec, config.load_services()))
        return self._mine[1]

    def comparing(self, embedder: CheckedEmbedder) -> CheckedEmbedder | None:
        """The embedder whose vectors the store compares, where this process can open it."""
        from lamina.embedders.registry import open_embedder

        chosen = self._store.settings()
        if chosen.get(ACTIVE, embedder.fingerprint) == embedder.fingerprint:
            return embedder
        if self._given is not None or SPEC not in chosen:
            return None
        found = open_embedder(chosen[SPEC], config.load_services())
        return found if found is not None and found.fingerprint == chosen[ACTIVE] else None

    def fits(self, embedder: CheckedEmbedder) -> bool:
        """Whether its vectors are as long as those kept, as far as can be told without asking."""
        kept, made = self._store.dimensions(embedder.fingerprint), embedder.known_dimensions
        return made is None or kept in (0, made)

    def refit(self, embedder: CheckedEmbedder) -> None:
        """Drop the vectors of an embedder that makes others now: nothing can be compared with them.

        Raises:
            EmbedderError: It is down, or answers wrongly.
        """
        from lamina.embedders.protocol import Role
        from lamina.embedders.separating import HARMLESS

        if not self._store.dimensions(embedder.fingerprint):
            return
        try:
            embedder.embed([HARMLESS], Role.DOCUMENT)
        except EmbedderError as error:
            if error.retryable:
                raise
            # That the model is another is refused once, and then taken as it is.
            embedder.embed([HARMLESS], Role.DOCUMENT)
        if not self.fits(embedder):
            self._store.leave_space(embedder.fingerprint)

    def is_on(self) -> bool:
        """Whether vectors are made at all; asked about once a second, for it costs a read."""
        if self._given is not None:
            return True
        now = stopwatch()
        if now - self._asked_at > _BELIEVED_SECONDS:
            self._asked_at = now
            self._on = effective(self._store.settings())[EMBEDDER] != OFF
        return self._on

    def unrelated(self, embedder: CheckedEmbedder) -> float | None:
        """The cosine of texts with nothing in common, if it was measured; 0 for our own."""
        from lamina.embedders.spreading import known_nearness

        if (known := known_nearness(embedder.fingerprint)) is not None:
            return known
        if embedder.fingerprint not in self._measured:
            self._measured |= _known(self._store.settings())
        return self._measured.get(embedder.fingerprint)

    def measure(self, embedder: CheckedEmbedder, *, wait: bool = True) -> float | None:
        """Ask the embedder how near it places texts with nothing in common, and keep that.

        Raises:
            EmbedderError: It is down, or answers wrongly; it has to be asked again.
        """
        from lamina.embedders.spreading import known_nearness, nearness_of_the_unrelated

        if (known := known_nearness(embedder.fingerprint)) is not None:
            return known
        found = nearness_of_the_unrelated(embedder)
        if found is None:
            return None
        self._measured[embedder.fingerprint] = found
        chosen = self._store.settings()
        told_before = _known(chosen)
        kept = {space: told_before[space] for space in (chosen.get(ACTIVE), chosen.get(WANTED))
                if space in told_before}  # fmt: skip
        told = {**kept, embedder.fingerprint: found}
        # A store that cannot be written now is told by the next who measures.
        with contextlib.suppress(StoreError):
            if told != told_before:
                self._store.configure(UNRELATED, json.dumps(told), wait=wait)
        return found

    def settle(self, embedder: CheckedEmbedder, *, wait: bool = True) -> None:
        """The first embedder that comes to a store gives it its space."""
        if ACTIVE not in self._store.settings():
            self.want(embedder, wait=wait)
            self._activate(embedder, wait=wait)

    def want(self, embedder: CheckedEmbedder, *, wait: bool = True) -> None:
        """Ask for an embedder to take over."""
        self._store.configure(WANTED, embedder.fingerprint, wait=wait)

    def is_wanted(self, embedder: CheckedEmbedder) -> bool:
        """Whether this process was asked to make vectors of its own kind."""
        chosen = self._store.settings()
        return embedder.fingerprint in (chosen.get(ACTIVE), chosen.get(WANTED))

    def is_to_take_over(self, embedder: CheckedEmbedder) -> bool:
        """Whether its vectors are wanted, and another's are compared as yet."""
        chosen = self._store.settings()
        return chosen.get(WANTED) == embedder.fingerprint != chosen.get(ACTIVE)

    def take_over(self, embedder: CheckedEmbedder) -> None:
        """Switch to the wanted space, which is whole, in one step; then drop the others."""
        chosen, mine = self._store.settings(), embedder.fingerprint
        if chosen.get(WANTED) != mine:
            return
        if chosen.get(ACTIVE) != mine:
            self._activate(embedder)
        for space in self._store.spaces():
            if space != mine:
                self._store.leave_space(space)

    def _activate(self, embedder: CheckedEmbedder, *, wait: bool = True) -> None:
        if self._given is None:
            spec = effective(self._store.settings())[EMBEDDER]
            self._store.configure(SPEC, spec, wait=wait)
        self._store.configure(ACTIVE, embedder.fingerprint, wait=wait)


def _known(chosen: Mapping[str, str]) -> dict[str, float]:
    """What was measured by whoever on this store."""
    try:
        found = json.loads(chosen.get(UNRELATED, "{}"))
        return {str(space): float(near) for space, near in found.items()}
    except (ValueError, TypeError, AttributeError):
        return {}
