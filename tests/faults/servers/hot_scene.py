"""A store whose hot layers are in a Redis, and everybody who uses it."""

import signal
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import ClassVar

from lamina import Memory
from tests.faults.child import Child, Line
from tests.faults.children.hot_scribe import DONE_IN_BASE
from tests.faults.children.listener import END, HOT_END
from tests.faults.children.scribe import COUNTER
from tests.faults.servers.hot_verdict import HotVerdict
from tests.faults.servers.scene import STUCK, Scene
from tests.faults.servers.verdict import Heard

SOON = 5.0
"""How long it may take until who follows has what happened since the server is back."""
UNAFFECTED = 5.0
"""How long a write to the base alone may take, whatever the server does."""
_LAST = 300
"""How many of a child's last lines are looked at again and again."""


@dataclass
class HotScene(Scene):
    """What is hot is kept by a server that forgets it all, or by one that keeps everything."""

    forgets: bool = False
    module: ClassVar[str] = "hot_scribe"
    # What somebody left half done who died is held for ten seconds.
    late: ClassVar[float] = 15.0
    back: float = 0.0
    """When the server was there again, the last time."""
    resyncs: list[tuple[float, str]] = field(default_factory=list)
    """How long it took from then until who follows had something that had been written since, and
    what had happened."""

    def furnish(self, mem: Memory) -> None:
        layer = "knowledge" if self.forgets else "task"
        mem.remember("nobody yet", key=COUNTER, layer=layer, data={"number": 0})

    def close(self, mem: Memory) -> None:
        mem.remember(END, key=END)
        mem.remember(HOT_END, key=END, layer="task")

    def way_of(self, name: str) -> str:
        return self.through

    def verdict(self, mem: Memory, heard: Heard) -> HotVerdict:
        dead = tuple(f"{self.name(number)}-" for number in range(len(self.fallen)))
        return HotVerdict(mem, heard, since=self.back if self.forgets else 0.0, dead=dead)

    def kill_scribes(self) -> None:
        """Kill everybody who writes."""
        for scribe in self.scribes:
            scribe.send(signal.SIGKILL)
        self.fallen += [scribe.kill() for scribe in self.scribes]

    def is_back(self, after: str, *, wait: bool) -> None:
        """Note that the server is; and wait until who follows has something written since."""
        self.back = monotonic()
        while wait and not self.is_stuck:
            if (at := self._resynced()) is not None:
                self.resyncs.append((at - self.back, after))
                return
            self.is_stuck = monotonic() > self.back + STUCK
            sleep(0.02)

    def delays(self, said: list[list[Line]]) -> list[str]:
        late = [one for one in self.resyncs if one[0] > SOON]
        slow = [one for one in _in_base(said) if one > UNAFFECTED]
        return [
            *super().delays(said),
            *(f"who follows had nothing new {took:.1f} s after: {act}" for took, act in late),
            *(f"a write to the base took {one:.1f} seconds" for one in slow),
        ]

    def figures(self, heard: Heard, said: list[list[Line]]) -> dict[str, object]:
        return {
            **super().figures(heard, said),
            "longest_write_to_the_base_seconds": max(_in_base(said), default=0.0),
            "longest_resync_seconds": max((took for took, _ in self.resyncs), default=0.0),
            "resyncs_timed": len(self.resyncs),
            "told_of_gaps": sum(len(one.gaps) for one in self.subscribers),
            "writers_killed": len(self.fallen),
        }

    def _resynced(self) -> float | None:
        """When the first who follows had something that was begun since the server is back."""
        written = {text for child in self.scribes for text in _since(child, self.back)}
        # This one is never stopped.
        follower = self.subscribers[0].child
        assert follower is not None
        heard = zip(follower.lines[-_LAST:], follower.heard_at[-_LAST:], strict=False)
        return min((at for line, at in heard if line.get("text") in written), default=None)


def _since(child: Child, back: float) -> list[str]:
    """What calls have written that began after an instant."""
    lines = (line for line in child.lines[-_LAST:] if "wrote" in line)
    return [text for line in lines if line["calls"][-1][0] > back for *_, text in line["wrote"]]


def _in_base(said: list[list[Line]]) -> list[float]:
    """How long each write to the base alone took."""
    calls = (call for lines in said for line in lines for call in line.get("calls", ()))
    return [end - start for start, end, became in calls if became == DONE_IN_BASE]
