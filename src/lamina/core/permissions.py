"""What each role may ask for at all, whichever door it comes through.

This is the coarse gate that every route, tool and stream declares. What a principal may do to
which record is decided by `lamina.core.access` behind it, which never allows more.
"""

from enum import StrEnum
from typing import Final

from lamina.core.principal import Principal, Role
from lamina.errors import ForbiddenError


class Permission(StrEnum):
    """What a route or tool asks of the one who calls it."""

    ANYONE = "anyone"
    """Nothing: it tells nothing about memories."""
    KNOWN = "known"
    """To be somebody, in whatever role."""
    READ = "read"
    WRITE = "write"
    SETTLE = "settle"
    """Decide on proposals, and steer what agents work on."""
    ADMIN = "admin"
    """Look after the store, or hand out keys."""


_OF_SKILLS: Final = frozenset((Permission.ANYONE, Permission.KNOWN))
_OF_READERS: Final = _OF_SKILLS | {Permission.READ}
_OF_AGENTS: Final = _OF_READERS | {Permission.WRITE}
GRANTED: Final = {
    Role.ADMIN: frozenset(Permission),
    Role.ORCHESTRATOR: _OF_AGENTS | {Permission.SETTLE},
    Role.AGENT: _OF_AGENTS,
    Role.SKILL: _OF_SKILLS,
    Role.READER: _OF_READERS,
}
"""The whole table: what is not in it is denied."""


def check_permission(principal: Principal, permission: Permission) -> None:
    """Raise unless the principal's role has the permission."""
    if permission not in GRANTED[principal.role]:
        raise ForbiddenError(
            f"{principal.role.value} `{principal.name}` may not do this: it needs the permission"
            f" `{permission.value}`",
            remedy="Use a key of another role; `lamina token create --role ROLE` makes one",
        )
