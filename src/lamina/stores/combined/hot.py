"""What a store of hot layers must be able to do beyond what every store can."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from lamina.stores.base import Store

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.core.access import Reach
    from lamina.core.announcements import Notice
    from lamina.core.changes import Commit, Event, Receipt


class HotStore(Store, Protocol):
    """Records of the hot layers, as a part of another store."""

    def prepare(self, commit: Commit) -> Receipt:
        """The first half of a commit: decide, and keep others from what it was decided on.

        Nothing can be seen of it yet. The receipt has no numbers, unless it is that of an earlier
        request.
        """

    def finish(self, commit: Commit, prepared: Receipt) -> Receipt:
        """The second half: what was decided is done."""

    def abandon(self, commit: Commit) -> None:
        """Take the first half back: nothing has happened."""

    def settle(self) -> None:
        """Finish or take back what processes have left half done that died over it."""

    def fresh(self, reach: Reach, after: Mapping[str, int], limit: int) -> list[Event]:
        """The next events behind a place, oldest first, of whatever records."""

    def note_elsewhere(self, notices: Sequence[Notice]) -> None:
        """Keep notices on records that are in the other store."""

    def forget_notices(self) -> bool:
        """Take all notices away; whether there were any."""
