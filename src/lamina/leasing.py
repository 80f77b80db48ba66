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
from lamina.core.instants import check_seconds
from lamina.core.names import check_key
from lamina.errors import BusyError, ConflictError, LaminaError, NotFoundError
from lamina.layers.face import Face

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime
    from typing import Self

    from lamina.core.changes import Put, Receipt
    from lamina.core.draft import Draft
    from lamina.core.record import Record
    from lamina.core.scope import Scope
    from lamina.layers.face import Door
    from lamina.writing import WritePath

USUAL_SECONDS: Final = 30.0
_KIND: Final = "lease"
_LOOK_AGAIN: Final = 0.05
_RENEWALS: Final = 3
"""How often a lease is renewed in the time after which it would end."""
_UNSEEN: Final = "alive"
"""When a process began, where that cannot be seen."""

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
    until = clock.stopwatch() + check_seconds(wait, "wait")
    lease = Lease(door, scope, name, max(check_seconds(seconds, "seconds"), _LOOK_AGAIN))
    while (holder := lease.try_to_take()) is not None:
        if clock.stopwatch() >= until:
            raise BusyError(
                f"`{name}` is being worked on by {holder}",
                remedy="Wait until that has finished, or end it",
            )
        time.sleep(_LOOK_AGAIN)
    return lease


def of_session(agent: str, session: str) -> str:
    """The lease of whoever runs a session of an agent, in the scope of the agent."""
    return f"session:{agent}:{session}"


def is_held(door: Door, name: str, *, scope: Scope) -> bool:
    """Whether somebody holds a lease and is alive, or seems so."""
    where = {"layer": Lease.layer, "scope": scope.path, "kind": _KIND, "key": _key(name)}
    return any(not _is_over(found) for found in door.query(where, limit=1))


class Lease(Face):
    """A turn that nobody else has meanwhile; releases itself at the end of a `with`."""

    layer = "blackboard"

    def __init__(self, door: Door, scope: Scope, name: str, seconds: float) -> None:
        super().__init__(door, scope)
        self.name = name
        self._seconds = seconds
        self._sign = clock.fresh_id()
        self._id, self._rev = RecordId(""), 0
        self._pid = os.getpid()
        self._renewed = _instant()
        self._at_it = threading.Lock()
        """Held while it is renewed or released, or the revision that must stand there is in use."""
        self._ended = threading.Event()
        self._is_lost = False

    @property
    def is_lost(self) -> bool:
        """Whether it is known that somebody else took it, or that it ran out."""
        return self._is_lost

    def check(self) -> None:
        """Refuse to go on once the lease was lost.

        A process that was stopped asks the store before it goes on: its turn may be over.
        """
        if os.getpid() != self._pid:
            raise BusyError(
                f"`{self.name}` is held by the process that this one was forked from",
                remedy="Take a lease of its own in this process",
            )
        if self._is_out_of_time():
            self._renew()
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
            return self._committed(path, puts)
        except (ConflictError, NotFoundError):
            # Whether it is the lease that does not stand any more, or what was to be written.
            self._renew()
            self.check()
        return self._committed(path, puts)

    def _committed(self, path: WritePath, puts: Sequence[Put]) -> Receipt:
        with self._at_it:
            return path.commit([*puts, path.still(self._id, self._rev)])

    def try_to_take(self) -> str | None:
        """Take it if it is free or its holder is dead; otherwise says who holds it."""
        found = self._holder(_key(self.name), kind=_KIND)
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
        threading.Thread(target=self._go_on, name=f"lease {self.name}", daemon=True).start()
        return None

    def release(self) -> None:
        """Let others have it; one that was lost is theirs already."""
        # A forked process has a copy of this, and not the turn itself.
        if os.getpid() != self._pid or self._ended.is_set():
            return
        self._ended.set()
        _held.discard(self._sign)
        # It ends by itself as well: who cannot say so must not fail for it.
        with self._at_it, suppress(LaminaError, OSError):
            found = self._mine()
            if found is not None:
                # Run out, not forgotten: so the next holder's record is this one again.
                self._door.edit(found.id, expect=found.rev, expires=self._now())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.release()

    def _begin(self, expect: int) -> None:
        agent = self._door.principal.name
        self._renewed = _instant()
        receipt = self._put(
            {"kind": _KIND, "key": _key(self.name), "text": f"{agent} is working on {self.name}",
             "data": {"agent": agent, "holds": self._sign, **_here()},
             "expires": self._end(), "expect": expect}
        )  # fmt: skip
        self._id, self._rev = receipt.id, receipt.rev

    def _end(self) -> datetime:
        return self._now() + timedelta(seconds=self._seconds)

    def _mine(self) -> Record | None:
        """What stands there, if it is still this lease."""
        found = self._holder(_key(self.name), kind=_KIND)
        return found if found is not None and found.data.get("holds") == self._sign else None

    def _go_on(self) -> None:
        """Renew until it ends; runs in a thread of its own."""
        while not self._ended.wait(self._seconds / _RENEWALS) and not self._is_lost:
            self._renew()

    def _renew(self) -> None:
        with self._at_it:
            if self._ended.is_set() or self._is_lost:
                return
            tried = _instant()
            try:
                self._rev = self._renewal()
                self._renewed = tried
            except (ConflictError, NotFoundError):
                self._is_lost = True
            except (LaminaError, OSError):
                # A store may be busy for a moment; one that is closed stays so.
                self._is_lost = self._is_out_of_time()

    def _renewal(self) -> int:
        try:
            # By its id: the next holder's record may well have the same revision.
            return self._door.edit(self._id, expect=self._rev, expires=self._end()).rev
        except ConflictError:
            found = self._mine()
            if found is None:
                raise
            # Somebody has edited the record, and it is nobody else's for that.
            return self._door.edit(found.id, expect=found.rev, expires=self._end()).rev

    def _is_out_of_time(self) -> bool:
        """Whether it may have run out by either clock; the one may stand still, the other leap."""
        passed = zip(_instant(), self._renewed, strict=True)
        return max(now - before for now, before in passed) >= self._seconds


def _instant() -> tuple[float, float]:
    return clock.stopwatch(), clock.now().timestamp()


def _key(name: str) -> str:
    return f"lease:{name}"


def _is_over(held: Record) -> bool:
    """Whether its holder is known to have died on this machine, or to have let it go."""
    here = _here()
    if held.data.get("place") != here["place"]:
        return False
    if held.data.get("pid") == here["pid"] and held.data.get("holds") not in _held:
        # Released, but a store that was full or away could not be told.
        return True
    born = _born(held.data.get("pid"))
    said = held.data.get("born")
    return born is None or (born != said and _UNSEEN not in (born, said))


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
    except OSError:
        # Gone, or somebody else's on a machine that shows everybody only their own.
        return _UNSEEN if _is_alive(pid) else None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass
    return True
