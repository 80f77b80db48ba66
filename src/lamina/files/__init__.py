"""Memory as files that people read and edit: `lamina.files.sync(mem)` brings both together.

The store is the truth and the files are its face. `NOW.md`, `MEMORY.md`, `AGENT.md` and
`tasks.json` may be edited: what people write flows back, entry by entry. `LOG.md`, `items.json` and
`sessions/` are told only; what somebody writes into them is kept aside.
"""

from lamina.files.desk import Kept, SyncReport
from lamina.files.keeper import Files, sync

__all__ = ["Files", "Kept", "SyncReport", "sync"]
