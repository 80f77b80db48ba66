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
_GOOD_FOR_SECONDS: Final = 600.0
_Kept = dict[tuple[str, str], tuple[float, list["RecordId"]]]
_kept: WeakKeyDictionary[Store, _Kept] = WeakKeyDictionary()
_lock = Lock()


def weightiest(door: Door, scope: str, most: int) -> list[Record]:
    """So many records of knowledge, those first that weigh most."""
    where = {"layer": "knowledge", "scope": scope}
    found = {one.id: one for one in door.query(where, limit=_NEWEST)}
    if len(found) == _NEWEST:
        at = clock.stopwatch()
        asked = (door.principal.identity, scope)
        with _lock:
            kept = _kept.setdefault(door.store, {})
            read_at, ids = kept.get(asked, (at - _GOOD_FOR_SECONDS, []))
        if at - read_at >= _GOOD_FOR_SECONDS:
            ids = [one.id for one in door.query(where, order_by="importance", limit=most)]
            with _lock:
                kept[asked] = (at, ids)
        older = [one for one in ids if one not in found]
        if older:
            # Asked for anew: it may have changed, or be gone.
            listed = door.query({**where, "id": {"$in": older}}, limit=most)
            found |= {one.id: one for one in listed}
    ordered = sorted(found.values(), key=lambda one: (-one.importance, -one.confidence))
    return ordered[:most]
