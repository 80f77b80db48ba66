"""Two stores as one: the hot layers in a store of their own, and all else in the base.

A change belongs to the store that keeps its layer, or that already has its record. One commit over
both happens in both or in neither (`commits`); docs/decisions/0036-hot-layers-in-redis.md says how.
"""

from typing import Final

BOUND: Final = "hot.store"
"""The setting of the base that says where its hot layers are."""
STAYED: Final = "hot.stayed"
"""The setting of a base that was moved and reopened: with which store its hot layers went."""
