"""The default store: one SQLite file, through one driver."""

from typing import Final

DATABASE: Final = "lamina.db"
"""The name of the file in a store's directory."""
