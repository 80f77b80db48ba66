"""The formats that a store in SQLite has had, each with the step that leads to it."""

from typing import Final

STEPS: Final = ("0001_first.sql", "0002_identity.sql", "0003_vectors.sql", "0004_tasks.sql",
                "0005_usage.sql", "0006_views.sql")  # fmt: skip
NEWEST: Final = len(STEPS)
