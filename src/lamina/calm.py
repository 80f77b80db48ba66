"""Arrays multiplied on one core: what is compared here is small, and threads would wait for it.

On two busy cores a query was placed in 11 ms by one thread and in 149 ms by two. The limit holds
while something of ours is computed, so that whoever else uses numpy in this process gets its
threads back.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

_state: Final[dict[str, Any]] = {
    "lock": threading.Lock(), "inside": 0, "controller": None, "limit": None
}  # fmt: skip


@contextmanager
def one_thread() -> Iterator[None]:
    """Within it numpy's products take one thread; calls may nest and overlap."""
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    with _state["lock"]:
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
    with _state["lock"]:
        _state["inside"] = max(0, _state["inside"] - 1)
        if not _state["inside"]:
            _state["limit"].restore_original_limits()


def _begin_anew() -> None:
    """In a forked child: the threads that were inside are not here to leave."""
    if _state["inside"] and _state["limit"] is not None:
        _state["limit"].restore_original_limits()
    _state.update(lock=threading.Lock(), inside=0)


os.register_at_fork(after_in_child=_begin_anew)
