"""What came of one suite of somebody else's, run against us."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Result:
    """One suite: how much of it passed, and what was not run and why."""

    suite: str
    passed: int
    total: int
    left_out: tuple[tuple[str, str], ...] = ()
    """Tests that were not run, each with the reason."""
    failed: tuple[str, ...] = ()
    log: Path | None = None
    """What the suite printed."""

    @property
    def is_good(self) -> bool:
        """Whether everything that was run has passed, and something was."""
        return 0 < self.total == self.passed and not self.failed
