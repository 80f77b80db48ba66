"""Working memory: what an agent has in mind, in this process alone unless it is told to keep it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina import clock
from lamina.core.canonical import check, dumps, loads
from lamina.core.names import check_key
from lamina.layers.face import Face

if TYPE_CHECKING:
    from datetime import datetime

    from lamina.core.changes import Receipt
    from lamina.core.scope import Scope
    from lamina.layers.face import Door

CONTEXT: Final = "context"
_SNAPSHOT: Final = "snapshot"


class Working(Face):
    """The working memory of one agent: values by key, among them plan and scratchpad.

    It is private to the handle. A crash loses it, as it should; `snapshot` keeps it for a
    warm restart, which reads it back with `restore`.
    """

    layer = "working"

    def __init__(self, door: Door, scope: Scope) -> None:
        super().__init__(door, scope)
        self._values: dict[str, Any] = {}
        self.updated_at: datetime | None = None
        """When something was last set or cleared."""

    def set(self, key: str, value: Any) -> None:
        """Keep a value in mind; what cannot be written as JSON could not be kept for a restart."""
        name = check_key(key)
        # A copy: what the caller does to its own afterwards is not meant.
        self._values[name] = loads(dumps(check(value, "value")), "value")
        self.updated_at = clock.now()

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key."""
        return self._values.get(check_key(key), default)

    def all(self) -> dict[str, Any]:
        """Every value by key."""
        return dict(self._values)

    def clear(self) -> None:
        """Forget everything, as between two tasks; a snapshot stays."""
        self._values.clear()
        self.updated_at = clock.now()

    def snapshot(self) -> Receipt:
        """Keep what is in mind for a warm restart, in place of the snapshot before."""
        data = {"values": self._values}
        return self._put(
            {"kind": CONTEXT, "key": _SNAPSHOT, "text": "snapshot of working memory", "data": data}
        )

    def restore(self) -> bool:
        """Have in mind again what the last snapshot kept; whether there was one."""
        found = self._holder(_SNAPSHOT)
        if found is None:
            return False
        values = found.data.get("values")
        self._values = dict(values) if isinstance(values, dict) else {}
        self.updated_at = found.updated_at
        return True
