"""Layered memory for AI agents: remember, recall, correct, forget and erase.

import lamina

with lamina.open() as mem:
    mem.remember("Deploys go out on Tuesdays", key="deploy-day", kind="convention")
    print(mem.recall("when do we deploy?").hits[0].record.text)
"""

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
from lamina.opening import open  # noqa: A004 - `lamina.open` is the name a user would say
from lamina.results import Erasure, Hit, Recall

__all__ = [
    "ConflictError",
    "Erasure",
    "ForbiddenError",
    "Hit",
    "InvalidInputError",
    "LaminaError",
    "Memory",
    "NotFoundError",
    "Recall",
    "Receipt",
    "Record",
    "SecretError",
    "State",
    "StoreError",
    "Trust",
    "UnsupportedError",
    "Version",
    "open",
]
