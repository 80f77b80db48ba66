"""Arrays multiplied on one core: what is compared here is small, and threads would wait for it.

On two busy cores a query was placed in 11 ms by one thread and in 149 ms by two. The limit holds
while something of ours is computed, so that whoever else uses numpy in this process gets its
threads back.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

_lock: Final = threading.Lock()
_state: Final[dict[str, Any]] = {"inside": 0, "controller": None, "limit": None}


@contextmanager
def one_thread() -> Iterator[None]:
    """Within it numpy's products take one thread; calls may nest and overlap."""
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    with _lock:
        _state["inside"] += 1
        if _state["inside"] > 1:
            return
        if _state["controller"] is None:
            # Imported here: numpy must have been loaded, or there is nothing to limit yet.
            import numpy  # noqa: F401
            from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

            _state["controller"] = ThreadpoolController().select(user_api="blas")
        _state["limit"] = _state["controller"].limit(limits=1)


def _leave() -> None:
    with _lock:
        _state["inside"] -= 1
        if not _state["inside"]:
            _state["limit"].restore_original_limits()
