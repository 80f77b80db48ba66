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
        with _whoever_asks():
            _state["limit"] = _state["controller"].limit(limits=1)


def _leave() -> None:
    with _state["lock"]:
        _state["inside"] = max(0, _state["inside"] - 1)
        if not _state["inside"]:
            with _whoever_asks():
                _state["limit"].restore_original_limits()


@contextmanager
def _whoever_asks() -> Iterator[None]:
    """Let this thread set the limit, whichever set it before.

    Newer versions of the library otherwise ignore all threads but the first, without a word: then
    vectors made in the background took four times as long as they should, and who came first
    decided for the rest of the process.
    """
    _release()
    try:
        yield
    finally:
        _release()


def _release() -> None:
    for library in _state["controller"].lib_controllers:
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)


def _begin_anew() -> None:
    """In a forked child: the threads that were inside are not here to leave."""
    if _state["inside"] and _state["limit"] is not None:
        with _whoever_asks():
            _state["limit"].restore_original_limits()
    _state.update(lock=threading.Lock(), inside=0)


os.register_at_fork(after_in_child=_begin_anew)
