"""Use: how often a record was handed out by recall, when it last was, and what that is worth.

Counting is telemetry. It is no part of a record, makes no version and no event, and may lose a
little; it breaks ties, and never decides what is relevant.
"""

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Final

MOST_HITS: Final = 63
"""So many count in ranking; whatever comes on top is no reason to come up yet again."""
HALF_LIFE_DAYS: Final = 90


@dataclass(frozen=True, slots=True)
class Usage:
    """How often something was of use, and when last."""

    hits: int
    last: datetime

    def plus(self, other: "Usage | None") -> "Usage":
        """Both counts as one."""
        if other is None:
            return self
        return Usage(self.hits + other.hits, max(self.last, other.last))


def worth(usage: Usage, now: datetime) -> float:
    """From 0 to 1: by the logarithm of the hits, and halved for every half-life without one.

    In whole days, so that the same question gets the same answer all day long.
    """
    share = math.log2(1 + max(usage.hits, 0)) / math.log2(1 + MOST_HITS)
    idle = max((now - usage.last).days, 0)
    return min(share, 1.0) * math.exp2(-idle / HALF_LIFE_DAYS)
