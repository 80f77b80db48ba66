"""What a handle offers of the lifecycle and of curation; imported when it is asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from lamina.curation.face import Curation
    from lamina.layers.face import Door
    from lamina.lifecycle.face import Keeper, Lifecycle


class Living:
    """The part of a handle that is about what becomes of memories in time."""

    @cached_property
    def lifecycle(self) -> Lifecycle:
        """What becomes of memories: `mem.lifecycle.plans()`, `promote`, `run`."""
        from lamina.lifecycle.face import Lifecycle

        return Lifecycle(cast("Keeper", self))

    @cached_property
    def curation(self) -> Curation:
        """Putting memories right: `mem.curation.neighbours(id)`, `edit`, `would_undo`."""
        from lamina.curation.face import Curation

        return Curation(cast("Door", self))
