"""What a handle offers of the lifecycle; imported when it is asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from lamina.lifecycle.face import Keeper, Lifecycle


class Living:
    """The part of a handle that is about what becomes of memories in time."""

    @cached_property
    def lifecycle(self) -> Lifecycle:
        """What becomes of memories: `mem.lifecycle.plans()`, `promote`, `run`."""
        from lamina.lifecycle.face import Lifecycle

        return Lifecycle(cast("Keeper", self))
