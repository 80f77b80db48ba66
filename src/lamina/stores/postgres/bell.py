"""Hearing of commits on other machines: what the bell of a process looks at.

The server notifies whoever listens, which only wakes; what happened is read from the log. Nothing
is kept for those who are not listening at that moment, so now and then the streams are looked at.
There is no thread of its own: those who wait look, one for all of them.
"""

from collections.abc import Callable
from typing import Final

from lamina.clock import stopwatch
from lamina.errors import LaminaError
from lamina.stores.postgres.driver import Connection, DriverError

_LOOK_SECONDS: Final = 1.0
"""How often the streams are looked at: a notice that was lost costs no more than that."""
_RETRY_SECONDS: Final = 1.0
_PATIENCE_SECONDS: Final = 2.0
_STREAMS: Final = "select count(*), sum(seq) from stream"


def channel(schema: str) -> str:
    """The channel that the commits of a store are notified on."""
    return f"lamina_{schema}"[:63]


class Listener:
    """Listens to one store, over a connection of its own which `connect` opens.

    `besides` is the session that this process writes with: what that one did is known here.
    """

    def __init__(
        self, connect: Callable[[], Connection], schema: str, besides: Callable[[], int | None]
    ) -> None:
        self._connect = connect
        self._schema = schema
        self._besides = besides
        self._connection: Connection | None = None
        self._calls = 0
        self._streams: object = None
        self._looked_at = 0.0
        self._retry_at = 0.0

    def look(self) -> object:
        """Something that differs from the last time if anything may have been committed since.

        A server that is gone for a while is no news; when it is back, everything may be.
        """
        try:
            connection = self._listening()
            if connection is not None:
                self._listen(connection)
        except (DriverError, LaminaError, OSError):
            self.close()
            self._retry_at = stopwatch() + _RETRY_SECONDS
        return self._calls, self._streams

    def close(self) -> None:
        """End the connection; the next look opens another one."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _listening(self) -> Connection | None:
        if self._connection is None and stopwatch() >= self._retry_at:
            self._connection = self._connect()
            # Everybody who waits, waits for this as well.
            self._connection.hurry(_PATIENCE_SECONDS)
            # Nobody can listen to a replica; there the streams are all there is to look at.
            if not self._connection.is_replica:
                self._connection.run(f"listen {channel(self._schema)}")
            # Whatever was notified before went unheard.
            self._calls += 1
            self._looked_at = 0.0
        return self._connection

    def _listen(self, connection: Connection) -> None:
        if connection.has_news():
            own = self._besides()
            self._calls += sum(1 for caller in connection.heard() if caller != own)
        if stopwatch() - self._looked_at >= _LOOK_SECONDS:
            self._streams = connection.execute(_STREAMS).fetchall()
            self._looked_at = stopwatch()
