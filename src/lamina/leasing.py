"""Leases: one at a time may run a session, a task or the maintenance of a store.

A lease is a record on the blackboard, taken and renewed by naming the revision that must stand
there, so that it works on every store and between any processes that share one. It ends when it is
released, when its holder is seen to be dead on this machine, or when nobody has renewed it in time.
"""

from __future__ import annotations

import os
import platform
import threading
import time
from contextlib import suppress
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lamina import clock
from lamina.core.ids import RecordId
from lamina.core.names import check_key
from lamina.errors import BusyError, ConflictError, InvalidInputError, LaminaError, NotFoundError
from lamina.layers.face import Face

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from types import TracebackType
    from typing import Self

    from lamina.core.changes import Receipt
    from lamina.core.draft import Draft
    from lamina.core.record import Record
    from lamina.core.scope import Scope
    from lamina.layers.face import Door

USUAL_SECONDS: Final = 30.0
_KIND: Final = "lease"
_LOOK_AGAIN: Final = 0.05
_RENEWALS: Final = 3
"""How often a lease is renewed in the time after which it would end."""

_held: Final[set[object]] = set()
"""The signs of the leases that this process holds."""


def take(
    door: Door, name: str, *, scope: Scope, seconds: float = USUAL_SECONDS, wait: float = 0.0
) -> Lease:
    """Hold a lease, which renews itself until it is released; waits if need be.

    Raises:
        BusyError: Somebody else holds it and is alive, or seems so.
    """
    check_key(name, "name")
    for argument, value in (("seconds", seconds), ("wait", wait)):
        if not isinstance(value, int | float) or not 0 <= value < threading.TIMEOUT_MAX:
            raise InvalidInputError(f"`{argument}` must be a number of seconds, not {value!r:.40}")
    lease = Lease(door, scope, name, max(float(seconds), _LOOK_AGAIN))
    until = clock.stopwatch() + wait
    while (holder := lease.try_to_take()) is not None:
        if clock.stopwatch() >= until:
            raise BusyError(
                f"`{name}` is being worked on by {holder}",
                remedy="Wait until that has finished, or end it",
            )
        time.sleep(_LOOK_AGAIN)
    return lease


class Lease(Face):
    """A turn that nobody else has meanwhile; releases itself at the end of a `with`."""

    layer = "blackboard"

    def __init__(self, door: Door, scope: Scope, name: str, seconds: float) -> None:
        super().__init__(door, scope)
        self.name = name
        self._seconds = seconds
        self._sign = clock.fresh_id()
        self._id, self._rev = RecordId(""), 0
        self._ended = threading.Event()
        self._is_lost = False
        self._pid = os.getpid()
        self._until = 0.0
        """When it ends unless it is renewed, on the stopwatch."""
        self._turn = threading.Lock()
        """Held while the revision that must stand there is in use."""

    @property
    def is_lost(self) -> bool:
        """Whether somebody else took it because it was not renewed in time."""
        return self._is_lost

    def check(self) -> None:
        """Refuse to go on once the lease was lost, and in a process that did not take it."""
        if os.getpid() != self._pid:
            raise BusyError(
                f"`{self.name}` is being worked on by the process that this one was forked from",
                remedy="Take it anew in this process",
            )
        if not self._is_lost and clock.stopwatch() >= self._until:
            # Stopped or starved for so long, the thread that renews it may not know it yet.
            self._prolong()
        if self._is_lost:
            raise BusyError(
                f"`{self.name}` was taken over: this process had not been heard of for too long",
                remedy="Leave it to the one that took over",
            )

    def commit(self, drafts: Iterable[Draft]) -> Receipt:
        """Keep memories in one commit, which happens only while the lease is held.

        Raises:
            BusyError: It was lost, and nothing is written.
        """
        self.check()
        path = self._door.path_for(self._door.principal.surface)
        puts = path.puts(drafts, self._door.scope)
        try:
            with self._turn:
                return path.commit([*puts, path.still(self._id, self._rev)])
        except (ConflictError, NotFoundError):
            # Whether it was the lease that did not stand any more, or what was to be written.
            self._prolong()
            self.check()
            raise

    def try_to_take(self) -> str | None:
        """Take it if it is free or its holder is dead; otherwise says who holds it."""
        found = self._holder(self._key, kind=_KIND)
        if found is not None and not _is_over(found):
            return f"{found.data.get('agent')} (process {found.data.get('pid')})"
        # Before anybody can see it: those of this process that are not held have ended.
        _held.add(self._sign)
        try:
            self._begin(found.rev if found else 0)
        except BaseException as error:
            _held.discard(self._sign)
            if isinstance(error, ConflictError):
                return "somebody who was quicker"
            raise
        threading.Thread(target=self._renew, name=f"lease {self.name}", daemon=True).start()
        return None

    def release(self) -> None:
        """Let others have it; one that was lost is theirs already."""
        if self._ended.is_set() or os.getpid() != self._pid:
            return
        self._ended.set()
        _held.discard(self._sign)
        # It ends by itself as well: who cannot say so must not fail for it.
        with suppress(LaminaError, OSError):
            found = self._holder(self._key, kind=_KIND)
            if found is not None and found.data.get("holds") == self._sign:
                # Run out, not forgotten: so the next holder's record is this one again.
                self._door.edit(found.id, expect=found.rev, expires=self._now())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    @property
    def _key(self) -> str:
        return f"lease:{self.name}"

    def _begin(self, expect: int) -> None:
        agent = self._door.principal.name
        self._until = clock.stopwatch() + self._seconds
        receipt = self._put(
            {"kind": _KIND, "key": self._key, "text": f"{agent} is working on {self.name}",
             "data": {"agent": agent, "holds": self._sign, **_here()},
             "expires": self._end(), "expect": expect}
        )  # fmt: skip
        self._id, self._rev = receipt.id, receipt.rev

    def _end(self) -> datetime:
        return self._now() + timedelta(seconds=self._seconds)

    def _renew(self) -> None:
        while not self._ended.wait(self._seconds / _RENEWALS) and not self._is_lost:
            # The store may be busy for a moment: there are more tries before it is over.
            with suppress(LaminaError, OSError):
                self._prolong()

    def _prolong(self) -> None:
        """Renew it, or find out that somebody else has it."""
        with self._turn:
            until = clock.stopwatch() + self._seconds
            try:
                # By its id: the next holder's record may well have the same revision.
                renewed = self._door.edit(self._id, expect=self._rev, expires=self._end())
            except (ConflictError, NotFoundError):
                self._is_lost = not self._ended.is_set()
            else:
                self._rev, self._until = renewed.rev, until


def _is_over(held: Record) -> bool:
    """Whether its holder is known to have died on this machine, or to have let it go."""
    here = _here()
    if held.data.get("place") != here["place"]:
        return False
    if held.data.get("pid") == here["pid"] and held.data.get("holds") not in _held:
        # Released, but a store that was full or away could not be told.
        return True
    return _born(held.data.get("pid")) != held.data.get("born")


def _here() -> dict[str, Any]:
    pid = os.getpid()
    return {"place": _place(), "pid": pid, "born": _born(pid)}


@cache
def _place() -> str:
    """This boot of this machine, and within it who sees the same process numbers."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return platform.node()


def _born(pid: object) -> str | None:
    """When a process began, which tells it from a later one of its number; `None` if it is gone."""
    if not isinstance(pid, int) or pid <= 0:
        return None
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
        fields = stat.rpartition(")")[2].split()
        # A zombie has died; only nobody has asked yet how.
        return None if fields[0] in "ZX" else fields[19]
    except FileNotFoundError:
        return None if Path("/proc/self/stat").exists() else _alive(pid)
    except OSError:
        return _alive(pid)


def _alive(pid: int) -> str | None:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except OSError:
        pass
    return "alive"
