"""What each call of a client asks of the one who makes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lamina.core.permissions import Permission
from lamina.remote.calls import CALLS, WALK

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Rule:
    """What a call asks of the one who makes it."""

    permission: Permission
    whole: bool = False
    """Only for an admin of the whole store."""
    refused: bool = False
    """For nobody: it is done where the store is."""


_READ: Final = Rule(Permission.READ)
_WRITE: Final = Rule(Permission.WRITE)
_OWNER: Final = Rule(Permission.ADMIN, whole=True)
_THERE: Final = Rule(Permission.ADMIN, whole=True, refused=True)
RULES: Final[Mapping[str, Rule]] = {
    **dict.fromkeys(
        (
            "me", "get", "find", "query", "count", "census", "search", "waits", "versions",
            "events", "transaction", "streams", "position", "changes", "pulse", "wait", "note",
            "noted", "note_use", "usage", "newest_instant", "sealed", "settings", "tombstones",
            "saying", "audit", "recall", "answered", "why_not", "fold", "fold_is_due", "walk",
        ),
        _READ,
    ),
    **dict.fromkeys(
        ("commit", "erase", "would_erase", "reveal", "fingerprint", "catch_up", "flush"), _WRITE
    ),
    **dict.fromkeys(
        (
            "configure", "vectors", "progress", "spaces", "dimensions", "prunable", "prune", "tidy",
        ),
        _OWNER,
    ),
    **dict.fromkeys(
        (
            "unembedded", "embed", "leave_space", "has_sealed", "scrub", "check", "repair",
            "reindex",
        ),
        _THERE,
    ),
}  # fmt: skip
"""The whole table; a test holds it against `lamina.remote.calls`."""
assert RULES.keys() == CALLS.keys() | {WALK.name}
