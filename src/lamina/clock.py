"""The one place that reads the wall clock and draws random numbers.

Everything else takes instants and ids as arguments, so that it can be tested and replayed.
"""

import os
import time
from datetime import UTC, datetime

from lamina.core.ids import RecordId, new_id


def now() -> datetime:
    """The current instant, in UTC."""
    return datetime.now(UTC)


def fresh_id() -> RecordId:
    """A new time-ordered id."""
    return new_id(time.time_ns() // 1_000_000, os.urandom(10))


def fresh_salt() -> bytes:
    """Sixteen random bytes: what makes the digest of a version unguessable."""
    return os.urandom(16)


def stopwatch() -> float:
    """Seconds on a clock that never goes back; only differences mean anything."""
    return time.perf_counter()
