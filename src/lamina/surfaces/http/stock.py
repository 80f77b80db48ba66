"""Figures about the whole of a store: made when somebody looks, and kept while they are dear.

A figure that takes the server long is not made for every change. It rests, the longer the more it
cost, and until then the one of before is shown with its age. Nothing is made while nobody asks.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from lamina.background import Worker
from lamina.clock import stopwatch

if TYPE_CHECKING:
    from lamina.stores.base import Store

_log: Final = logging.getLogger(__name__)
T = TypeVar("T")
Breathe = Callable[[], None]
_KEPT: Final = 256
"""Figures of so many callers are at hand."""
_QUICK: Final = 20.0
"""A figure that a request waits for rests so many times as long as it took: at most a twentieth of
a core goes into it, however much is written."""
_SLOW: Final = 60.0
"""The same for those that are made behind the requests."""
_LEAST_SECONDS: Final = 0.1
_OLD_SECONDS: Final = 60.0
"""After this a figure is made anew even if nothing was written: some of it may have run out."""
_FAILED_SECONDS: Final = 15.0
_STEP_SECONDS: Final = 0.02
_PAUSES: Final = 2.0
"""How many times as long as it worked a figure in the making lets everybody else go first."""
_PATIENCE_SECONDS: Final = 0.2
"""How long a request waits for a figure that may be there in a moment."""


@dataclass(frozen=True, slots=True)
class Figure(Generic[T]):
    """What was found out, and when."""

    value: T
    pulse: int
    """Of the store, before it was looked at."""
    made: float
    took: float
    """Seconds of work."""
    rests: float
    """For how many seconds it is good enough."""


class _Slot:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.figure: Figure[Any] | None = None
        self.make: Callable[[Breathe], Any] | None = None
        """While it is wanted, or being made."""
        self.done = threading.Event()
        self.rests_until = 0.0
        """What failed is left alone for a while."""


class _EndedError(Exception):
    """The server ends."""


class Stock:
    """The figures of one server. Safe to share between threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._slots: OrderedDict[Hashable, _Slot] = OrderedDict()
        self._wanted: deque[_Slot] = deque()
        self._worker: Worker | None = None
        self._ended = threading.Event()

    def now(self, what: Hashable, make: Callable[[], T]) -> Figure[T]:
        """A figure that the caller waits for, unless the one of before is good enough."""
        slot = self._slot(what)
        with slot.lock:
            if slot.figure is None or self._is_due(slot.figure):
                pulse, begun = self._store.pulse(), stopwatch()
                value = make()
                slot.figure = _made(value, pulse, stopwatch() - begun, _QUICK)
            return slot.figure

    def soon(self, what: Hashable, make: Callable[[Breathe], T]) -> Figure[T] | None:
        """The figure of before, or none yet; where it is due, another is made behind the caller.

        `make` is to call what it is given every now and then, so that it is in nobody's way.
        """
        slot = self._slot(what)
        with slot.lock:
            is_due = stopwatch() >= slot.rests_until and (
                slot.figure is None or self._is_due(slot.figure)
            )
            if is_due and slot.make is None and not self._ended.is_set():
                slot.make = make
                slot.done.clear()
                self._want(slot)
        if is_due and (slot.figure is None or slot.figure.took < _PATIENCE_SECONDS):
            slot.done.wait(_PATIENCE_SECONDS)
        return slot.figure

    def again_ms(self, *figures: Figure[Any] | None) -> int | None:
        """After how long it is worth asking again without being told of a change; never, if `None`.

        What was written since a figure was made is told of already.
        """
        pulse, now = self._store.pulse(), stopwatch()
        waits = [
            _LEAST_SECONDS if one is None else max(one.made + one.rests - now, _LEAST_SECONDS)
            for one in figures
            if one is None or one.pulse != pulse
        ]
        return round(1_000 * min(waits)) if waits else None

    def close(self) -> None:
        """Stop what is being made."""
        self._ended.set()
        if self._worker is not None:
            self._worker.end(_PATIENCE_SECONDS)

    def _slot(self, what: Hashable) -> _Slot:
        with self._lock:
            slot = self._slots.setdefault(what, _Slot())
            self._slots.move_to_end(what)
            if len(self._slots) > _KEPT:
                self._slots.popitem(last=False)
            return slot

    def _is_due(self, figure: Figure[Any]) -> bool:
        age = stopwatch() - figure.made
        if age < figure.rests:
            return False
        return age > max(_OLD_SECONDS, figure.rests) or figure.pulse != self._store.pulse()

    def _want(self, slot: _Slot) -> None:
        with self._lock:
            self._wanted.append(slot)
            if self._worker is None or not self._worker.is_here():
                self._worker = Worker(self._work)
            self._worker.wake()

    def _work(self, is_over: Callable[[], bool]) -> bool:
        while not is_over():
            with self._lock:
                slot = self._wanted.popleft() if self._wanted else None
            if slot is None:
                return True
            try:
                slot.figure = self._worked(slot)
            except _EndedError:
                pass
            except Exception as error:
                # Whatever it is, who looks later may have better luck.
                _log.error("a figure could not be made", exc_info=error)
                slot.rests_until = stopwatch() + _FAILED_SECONDS
            finally:
                slot.make = None
                slot.done.set()
        return True

    def _worked(self, slot: _Slot) -> Figure[Any]:
        assert slot.make is not None, "only what is wanted is made"
        pulse, begun, worked = self._store.pulse(), stopwatch(), 0.0

        def breathe() -> None:
            nonlocal begun, worked
            step = stopwatch() - begun
            if self._ended.is_set():
                raise _EndedError
            if step >= _STEP_SECONDS:
                worked += step
                self._ended.wait(_PAUSES * step)
                begun = stopwatch()

        value = slot.make(breathe)
        return _made(value, pulse, worked + stopwatch() - begun, _SLOW)


def _made(value: T, pulse: int, took: float, times: float) -> Figure[T]:
    return Figure(value, pulse, stopwatch(), took, max(times * took, _LEAST_SECONDS))
