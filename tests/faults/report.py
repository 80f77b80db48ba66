"""What a fault run says: how often it tried, what went wrong, and which seed repeats it."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import TypeAlias

Tell: TypeAlias = Callable[[int, int], None]
"""Called with how many trials are done, and how many there will be."""


@dataclass
class Report:
    """The outcome of one fault at one size."""

    fault: str
    seed: int
    trials: int
    violations: list[str] = field(default_factory=list)
    """Each begins with what reproduces it, such as `seed 17: …`."""
    figures: dict[str, object] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def ci95_upper(self) -> float | None:
        """The rate that zero violations in so many trials exclude with 95 % confidence."""
        return None if self.violations or not self.trials else min(1.0, round(3 / self.trials, 5))

    def to_json(self) -> dict[str, object]:
        """The report as the JSON file holds it."""
        return {**asdict(self), "ci95_upper": self.ci95_upper}
