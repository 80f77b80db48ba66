"""A connection of the driver that waits only so long for an answer."""

import select
from collections.abc import Generator
from typing import Any, TypeVar

import psycopg

from lamina.clock import stopwatch
from lamina.stores.postgres.session import GRACE_SECONDS, PATIENCE_SECONDS
from lamina.stores.sql.driver import Row

T = TypeVar("T")


class SilentError(psycopg.OperationalError):
    """Nothing came back in time."""


class Timely(psycopg.Connection[Row]):
    """A connection that says so when nothing comes."""

    patience = PATIENCE_SECONDS
    fell_silent = False

    def wait(self, gen: Generator[Any, Any, T], *how: Any, **more: Any) -> T:
        deadline = stopwatch() + self.patience + GRACE_SECONDS
        try:
            return super().wait(_until(gen, deadline), *how, **more)
        except SilentError:
            self.fell_silent = True
            raise


def _until(gen: Generator[Any, Any, T], deadline: float) -> Generator[Any, Any, T]:
    """The same steps, but an end to them when nothing has come by then."""
    try:
        wanted = next(gen)
        while True:
            ready = yield wanted
            # The driver looks up ten times a second, with nothing in hand.
            if not ready and stopwatch() > deadline:
                raise SilentError("no answer in time")
            wanted = gen.send(ready)
    except StopIteration as end:
        result: T = end.value
        return result


def has_come(descriptor: int, seconds: float) -> bool:
    """Whether there is something to read, now or soon."""
    # Not by `select`, which cannot look at the thousandth of what a process has open.
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(seconds * 1000))
