"""Whether a session is over: nobody has said anything for long, and nobody is at it now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina import leasing
from lamina.core.scope import Scope

if TYPE_CHECKING:
    from datetime import datetime

    from lamina.layers.face import Door


def is_quiet(door: Door, scope: str, since: datetime) -> bool:
    """Whether a session, named by its scope, was silent since then and is not running."""
    later = {"layer": "session", "scope": scope, "created_at": {"$gte": since}}
    return not door.query(later, limit=1) and not _is_running(door, Scope.of(scope))


def _is_running(door: Door, session: Scope) -> bool:
    agent, name = session.part("agent"), session.part("session")
    if agent is None or name is None:
        return False
    owner = Scope.of(session.path.removesuffix(f"/session/{name}"))
    return leasing.is_held(door, leasing.of_session(agent, name), scope=owner)
