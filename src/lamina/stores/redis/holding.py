"""Commits that were prepared and not finished: whoever meets one brings it to its end.

The other store's log says whether it was carried out there. One that is not in that log after a
while was left by a process that died before it, and is taken back.
"""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Final

from lamina.stores.redis.rows import texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.stores.redis.server import Server

_PATIENCE_MS: Final = 10_000
"""How long the other store may take to commit its part."""
_FRESH_MS: Final = 1_000
"""What was prepared just now is most likely about to be finished."""
_NAP_SECONDS: Final = 0.01
_MOST_REMEMBERED: Final = 256


class Holding:
    """What is held between the two halves of a commit."""

    def __init__(self, server: Server, decided: Callable[[str], bool | None]) -> None:
        self._server = server
        self._decided = decided
        """Whether the other store has carried out its part of a transaction, if that can tell."""
        self._given_up: deque[str] = deque(maxlen=_MOST_REMEMBERED)

    def give_up(self, tx: str) -> None:
        """Remember one that may be held, and that the other store will never hear of."""
        self._given_up.append(tx)

    def settle(self, tx: str) -> None:
        """Bring a commit to its end that is in the way, or wait a moment for it."""
        if not self._end(tx, self._age(tx)):
            time.sleep(_NAP_SECONDS)

    def settle_all(self) -> None:
        """Bring to their end those that somebody has left."""
        [waiting] = self._server.ask(("ZRANGE", self._server.key("waiting"), 0, -1))
        for tx in texts(waiting):
            age = self._age(tx)
            if tx in self._given_up or age > _FRESH_MS:
                self._end(tx, age)

    def _end(self, tx: str, age: float) -> bool:
        is_decided = self._decided(tx)
        if is_decided:
            self._server.run("write", "finish", tx)
        elif tx in self._given_up or (is_decided is False and age > _PATIENCE_MS):
            self._server.run("write", "abandon", tx)
        else:
            return False
        return True

    def _age(self, tx: str) -> float:
        """For how many milliseconds it has waited, by the server's clock."""
        since, (seconds, micros) = self._server.ask(
            ("ZSCORE", self._server.key("waiting"), tx), ("TIME",)
        )
        now = int(seconds) * 1000 + int(micros) // 1000
        return 0 if since is None else now - float(since)
