"""The weightiest knowledge of a place, found fast.

A store finds the newest records of a place at once, and the weightiest only by reading them all. So
in a large place the weightiest are looked for now and then, and the newest each time.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from lamina import clock

if TYPE_CHECKING:
    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.layers.face import Door
    from lamina.stores.base import Store

_NEWEST: Final = 200
"""A place with fewer is read whole."""
_SINCE: Final = 50
"""How many of the newest are looked at where the weightiest are known."""
_GOOD_FOR_SECONDS: Final = 600.0
_Kept = dict[tuple[str, str], tuple[float, list["RecordId"]]]
_kept: WeakKeyDictionary[Store, _Kept] = WeakKeyDictionary()
_lock = Lock()


def weightiest(door: Door, scope: str, most: int) -> list[Record]:
    """So many records of knowledge, those first that weigh most."""
    where = {"layer": "knowledge", "scope": scope}
    asked, at = (door.principal.identity, scope), clock.stopwatch()
    with _lock:
        kept = _kept.setdefault(door.store, {})
        read_at, ids = kept.get(asked, (at - _GOOD_FOR_SECONDS, []))
    is_known = at - read_at < _GOOD_FOR_SECONDS
    newest = _SINCE if is_known else _NEWEST
    found = {one.id: one for one in door.query(where, limit=newest)}
    if not is_known and len(found) == _NEWEST:
        ids = [one.id for one in door.query(where, order_by="importance", limit=most)]
        with _lock:
            kept[asked] = (at, ids)
    older = [one for one in ids if one not in found]
    if older:
        # Asked for anew: it may have changed, or be gone.
        found |= {one.id: one for one in door.query({**where, "id": {"$in": older}}, limit=most)}
    ordered = sorted(found.values(), key=lambda one: (-one.importance, -one.confidence))
    return ordered[:most]
