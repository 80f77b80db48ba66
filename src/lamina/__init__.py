"""Layered memory for AI agents: remember, recall, correct, forget and erase.

    import lamina

    with lamina.open() as mem:
        mem.remember("Deploys go out on Tuesdays", key="deploy-day", kind="convention")
        print(mem.recall("when do we deploy?").hits[0].record.text)

Names are loaded when they are first used, because a command that reads one record should not wait
for what it does not need.
"""

from typing import TYPE_CHECKING, Any

from lamina.core.lazy import loading

if TYPE_CHECKING:
    from lamina.core.changes import Receipt, Version
    from lamina.core.record import Record, State, Trust
    from lamina.errors import (
        ConflictError,
        ForbiddenError,
        InvalidInputError,
        LaminaError,
        NotFoundError,
        SecretError,
        StoreError,
        UnsupportedError,
    )
    from lamina.memory import Memory
    from lamina.moving import migrate
    from lamina.opening import open  # noqa: A004 - `lamina.open` is the name a user would say
    from lamina.remote import connect
    from lamina.restoring import restore
    from lamina.results import (
        BackupReport,
        Erasure,
        ErasurePlan,
        Hit,
        IndexReport,
        Recall,
        RestoreReport,
    )

_HOMES = {
    "lamina.core.changes": ("Receipt", "Version"),
    "lamina.core.record": ("Record", "State", "Trust"),
    "lamina.errors": (
        "ConflictError",
        "ForbiddenError",
        "InvalidInputError",
        "LaminaError",
        "NotFoundError",
        "SecretError",
        "StoreError",
        "UnsupportedError",
    ),
    "lamina.memory": ("Memory",),
    "lamina.moving": ("migrate",),
    "lamina.opening": ("open",),
    "lamina.remote": ("connect",),
    "lamina.restoring": ("restore",),
    "lamina.results": (
        "BackupReport",
        "Erasure",
        "ErasurePlan",
        "Hit",
        "IndexReport",
        "Recall",
        "RestoreReport",
    ),
}

_MODULES = frozenset(
    "aio backend capsule compaction errors events exchange files flat leasing lifecycle models"
    " orchestration proposing runtime skills".split()
)
"""What is reached as `lamina.NAME` without an import of its own."""

__all__ = [
    "BackupReport",
    "ConflictError",
    "Erasure",
    "ErasurePlan",
    "ForbiddenError",
    "Hit",
    "IndexReport",
    "InvalidInputError",
    "LaminaError",
    "Memory",
    "NotFoundError",
    "Recall",
    "Receipt",
    "Record",
    "RestoreReport",
    "SecretError",
    "State",
    "StoreError",
    "Trust",
    "UnsupportedError",
    "Version",
    "connect",
    "migrate",
    "open",
    "restore",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"lamina.{name}")
    if name == "__version__":
        return import_module("lamina.release").version()
    return _loaded(name)


_loaded = loading(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
