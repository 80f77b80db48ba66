"""The default store: one SQLite file, through one driver."""

from typing import Final

DATABASE: Final = "lamina.db"
"""The name of the file in a store's directory."""
LEDGER: Final = "erased.jsonl"
"""The name of the ledger beside it."""
STAGING: Final = "restoring"
"""The folder in a store's directory where a restore gets ready; it is there only meanwhile."""
INDEXES: Final = "index"
"""The folder beside it with derived indexes, which can be removed at any time."""
