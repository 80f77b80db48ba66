"""What really happened in this server lately: the last write, read and embedding that worked.

Whether a server is well is told by what it did, not by what it was set up to do.
"""

import threading
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from lamina import clock
from lamina.errors import EmbedderError, LaminaError, SecretError, StoreError


class Part(StrEnum):
    """What a server does."""

    WRITE = "write"
    READ = "read"
    EMBED = "embed"


@dataclass(frozen=True, slots=True)
class Beat:
    """The last time that a part worked, and the last time that it did not."""

    worked_at: datetime | None = None
    failed_at: datetime | None = None
    error: str = ""

    @property
    def is_failing(self) -> bool:
        """Whether what was tried last has failed."""
        if self.failed_at is None:
            return False
        return self.worked_at is None or self.worked_at < self.failed_at


class Pulse:
    """The beats of one server."""

    def __init__(self) -> None:
        self._beats = {part: Beat() for part in Part}
        self._lock = threading.Lock()

    def beat(self, part: Part) -> Beat:
        """How a part has done."""
        return self._beats[part]

    def worked(self, part: Part) -> None:
        """It has worked just now."""
        with self._lock:
            last = self._beats[part]
            self._beats[part] = Beat(clock.now(), last.failed_at, last.error)

    def failed(self, part: Part, error: str) -> None:
        """It has failed just now."""
        with self._lock:
            self._beats[part] = Beat(self._beats[part].worked_at, clock.now(), error)


def is_ours(error: LaminaError) -> bool:
    """Whether an error says that the server is not well, rather than that the request is wrong."""
    return isinstance(error, StoreError | SecretError | EmbedderError)
