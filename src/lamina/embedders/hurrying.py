"""Somebody waits for this answer: then a service has a moment, whatever it is asked for."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

SECONDS: Final = 2.0
"""How long a question waits for a service; words answer without it."""

_is_waited_for: ContextVar[bool] = ContextVar("is_waited_for", default=False)


@contextmanager
def hurried() -> Iterator[None]:
    """Within it a service is waited for no longer than a question may take."""
    before = _is_waited_for.set(True)
    try:
        yield
    finally:
        _is_waited_for.reset(before)


def is_hurried() -> bool:
    """Whether somebody waits."""
    return _is_waited_for.get()
