"""For each clause of the contract, the planted bug that turns it red."""

from tests.mutants.in_core import CORE
from tests.mutants.in_feed import FEEDS
from tests.mutants.in_notices import NOTICES
from tests.mutants.in_sqlite import SQLITE
from tests.mutants.in_stores import STORES
from tests.mutants.in_time import TIME
from tests.mutants.in_usage import USE
from tests.mutants.in_vectors import VECTORS
from tests.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    *CORE, *STORES, *FEEDS, *TIME, *NOTICES, *USE, *SQLITE, *VECTORS
)  # fmt: skip

QUICK_KINDS = (
    "scope predicate dropped", "LIKE for range", "ack without commit", "event skipped",
    "compare-and-set ignored", "order by clock", "limit before filter", "expired shown",
    "receipts not stored", "secure delete off", "not all or nothing", "text as syntax",
    "old versions shown", "lock left out",
)  # fmt: skip
"""One mutant of each of these runs every time; `LAMINA_MUTANTS=all` runs the whole table."""


def quick() -> list[Mutant]:
    """The first mutant of each kind that always runs."""
    return [next(one for one in MUTANTS if one.kind == kind) for kind in QUICK_KINDS]
