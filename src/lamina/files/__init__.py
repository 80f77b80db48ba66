"""Memory as files that people read and edit: `lamina.files.sync(mem)` brings both together.

The store is the truth and the files are its face. `NOW.md`, `MEMORY.md`, `AGENT.md` and
`tasks.json` may be edited: what people write flows back, entry by entry. `LOG.md`, `items.json` and
`sessions/` are told only; what somebody writes into them is kept aside.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lamina.files.desk import Kept, SyncReport
    from lamina.files.keeper import Files, sync

__all__ = ["Files", "Kept", "SyncReport", "sync"]


def __getattr__(name: str) -> Any:
    # Imported when it is asked for: every opening looks whether files are behind, few write any.
    from importlib import import_module

    homes = {"Files": "keeper", "sync": "keeper", "Kept": "desk", "SyncReport": "desk"}
    if name in homes:
        return getattr(import_module(f"lamina.files.{homes[name]}"), name)
    raise AttributeError(f"module 'lamina.files' has no attribute {name!r}")
