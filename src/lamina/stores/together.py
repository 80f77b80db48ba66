"""Group commit: whoever gets the turn first commits for everyone waiting.

Threads so share the price of making a commit durable. There is no thread of its own: nothing to
lose at a fork, nothing to wake.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from lamina.clock import stopwatch
from lamina.errors import StoreUnavailableError
from lamina.stores.sql.driver import Connection

T = TypeVar("T")
_MOST_IN_ONE_COMMIT: Final = 64


@dataclass(slots=True, eq=False)
class Request(Generic[T]):
    """Something to be done inside a write transaction, and what became of it."""

    work: Callable[[Any], T]
    synced: bool
    needs: Any = None
    """What has to be locked for it, where a store has more than one lock."""
    since: float = field(default_factory=stopwatch)
    """When it was asked for."""
    done: bool = False
    result: T | None = None
    error: BaseException | None = None

    def answer(self) -> T:
        """What it came to."""
        if self.error is not None:
            raise self.error
        return self.result  # type: ignore[return-value]  # set whenever there is no error


class Together:
    """The queue of one process's writers. `commit` carries out several requests at once.

    After an error that `is_in_vain` all who wait are told: they would only wait for the same thing
    again, one after another, for longer than anybody is willing to.
    """

    def __init__(
        self,
        commit: Callable[[Sequence[Request[Any]]], None],
        is_in_vain: Callable[[Exception], bool] = lambda error: False,
    ) -> None:
        self._commit = commit
        self._is_in_vain = is_in_vain
        self._queue: deque[Request[Any]] = deque()
        self.turn = threading.Lock()
        """Held by whoever uses the connection that writes."""

    def carry_out(self, request: Request[T]) -> T:
        """Have a request done, possibly together with other threads' requests."""
        try:
            self._queue.append(request)
            with self.turn:
                while not request.done:
                    self._commit_next()
        except BaseException:
            # Interrupted while it waited: it must not be committed later, with somebody else's.
            with suppress(ValueError):
                self._queue.remove(request)
            raise
        return request.answer()

    def _commit_next(self) -> None:
        """Commit the requests at the head of the queue in one transaction.

        An interrupt may come between any two steps: whatever was taken from the queue is answered.
        """
        batch: list[Request[Any]] = []
        try:
            while self._queue and len(batch) < _MOST_IN_ONE_COMMIT:
                batch.append(self._queue[0])
                self._queue.popleft()
            self._commit(batch)
        except BaseException as error:
            # Whatever became of each before, none of them may be reported as done.
            shared = error if isinstance(error, Exception) else _interrupted()
            if self._is_in_vain(shared):
                batch += (self._queue.popleft() for _ in range(len(self._queue)))
            for request in batch:
                request.error = shared
            if not isinstance(error, Exception):
                raise
        finally:
            for request in batch:
                request.done = True


def attempt(connection: Connection, request: Request[Any], *, alone: bool) -> None:
    """Run one request so that its failure leaves the others alone.

    Among others it has a savepoint; alone, the transaction itself serves, two statements cheaper.
    """
    if not alone:
        connection.execute("savepoint request")
    try:
        request.result = request.work(connection)
    except Exception as error:
        if isinstance(error, connection.dialect.error) or not connection.in_transaction:
            # The driver failed, and with it perhaps the whole transaction.
            raise
        connection.execute("rollback" if alone else "rollback to request")
        request.error = error
    if not alone:
        connection.execute("release request")


def _interrupted() -> StoreUnavailableError:
    """One thread's interrupt is not the others'; what became of the commit nobody knows."""
    return StoreUnavailableError(
        "the commit was interrupted, and may or may not have taken place",
        remedy="Repeat it with the same idempotency key, or look first",
    )
