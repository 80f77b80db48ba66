"""Processes that write to one store on a server, and processes that follow it.

All the while somebody makes the server fail. In the end everybody comes to an end by themselves,
and what each was told is compared with what the store holds.
"""

import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import ClassVar, TypeVar

from lamina import Memory
from tests.faults.child import Child, Line
from tests.faults.children.listener import END
from tests.faults.children.scribe import COUNTER
from tests.faults.children.work import opened
from tests.faults.feeds import NEVER, Subscriber
from tests.faults.report import Report
from tests.faults.servers.verdict import Heard, Verdict

ACKNOWLEDGED_BETWEEN = 8
"""How many calls return between two faults, however busy the machine is."""
STUCK = 60.0
LATE = 10.0
"""Nobody waits longer than this for a call to return, whatever the server does."""


Played = TypeVar("Played", bound="Scene")


@dataclass(frozen=True)
class Cast:
    """How many take part."""

    scribes: int = 3
    threads: int = 3
    subscribers: int = 2


SMALL = Cast(2, 2, 1)
"""For a quick run."""
QUICK = 10
"""A run of at most this size is a quick one, on a machine that may be busy with other tests: it
has a small cast, and how long anything takes is not held against it."""


@dataclass
class Scene:
    """One store, and everybody who uses it."""

    address: str
    """Of the store, straight to the server."""
    through: str
    """The same, by the way that those who take part go."""
    seed: int
    size: int
    scribes: list[Child] = field(default_factory=list)
    subscribers: list[Subscriber] = field(default_factory=list)
    fallen: list[list[Line]] = field(default_factory=list)
    """What those had said who were killed."""
    absent: dict[int, list[tuple[float, float]]] = field(default_factory=dict)
    """By the scribe's number, from when to when it was stopped."""
    is_stuck: bool = False
    """Whether nothing comes of waiting any more."""
    module: ClassVar[str] = "scribe"
    late: ClassVar[float] = LATE

    @property
    def is_quick(self) -> bool:
        """Whether it is one of the short runs of `make test`."""
        return self.size <= QUICK

    @property
    def cast(self) -> Cast:
        """How many take part."""
        return SMALL if self.is_quick else Cast()

    def name(self, number: int) -> str:
        """What the server knows a scribe's sessions by."""
        return f"scribe-{number}"

    def begin(self) -> None:
        """Make the store and have everybody begin."""
        with opened(self.address) as mem:
            mem.configure("recall.embedder", "off")
            self.furnish(mem)
        self.subscribers = [Subscriber(self.through) for _ in range(self.cast.subscribers)]
        for subscriber in self.subscribers:
            subscriber.start(NEVER)
        self.start_scribes()
        for child in (one.child for one in self.subscribers if one.child):
            child.wait_until_ready()

    def start_scribes(self) -> None:
        """Have new ones write."""
        first, count = len(self.fallen), self.cast.scribes
        self.scribes = [self._scribe(number) for number in range(first, first + count)]
        for scribe in self.scribes:
            scribe.wait_until_ready()
        for scribe in self.scribes:
            scribe.say("go")

    def furnish(self, mem: Memory) -> None:
        """Put there what everybody expects."""
        mem.remember("nobody yet", key=COUNTER, data={"number": 0})

    def close(self, mem: Memory) -> None:
        """Say that it is the end."""
        mem.remember(END, key=END)

    def verdict(self, mem: Memory, heard: Heard) -> Verdict:
        """What is to be said of the store."""
        return Verdict(mem, heard)

    def _scribe(self, number: int) -> Child:
        name, threads = self.name(number), str(self.cast.threads)
        return Child(self.module, self.way_of(name), name, str(self.seed), threads)

    def way_of(self, name: str) -> str:
        """The way to the store that a scribe takes."""
        return f"{self.through}&application_name={name}"

    def rest(self, seconds: float) -> None:
        """Let everybody work: for so long, and until something has come of it."""
        before, start = self._said("wrote"), monotonic()
        while not self.is_stuck and (
            monotonic() - start < seconds or self._said("wrote") < before + ACKNOWLEDGED_BETWEEN
        ):
            # One that failed for good writes no more, and there is no use in waiting for it.
            self.is_stuck = monotonic() - start > STUCK or bool(self._said("error"))
            time.sleep(0.02)

    def _said(self, what: str) -> int:
        return sum(what in line for child in self.scribes for line in list(child.lines))

    def swap(self, chance: random.Random) -> None:
        """Kill a subscriber, who is started again where it was; one of them is always spared."""
        for subscriber in self.subscribers[1:]:
            if chance.random() < 0.1:
                subscriber.stop(signal.SIGKILL)
                subscriber.start(NEVER)

    def end(self, report: Report) -> None:
        """Let everybody come to an end, and look at what is there."""
        for scribe in self.scribes:
            scribe.say("stop")
        said = [*(scribe.finish() for scribe in self.scribes), *self.fallen]
        with opened(self.address) as mem:
            self.close(mem)
        for subscriber in self.subscribers:
            subscriber.stop(None)
        wrong = [scribe.complaint for scribe in self.scribes if scribe.complaint]
        wrong += ["nothing was acknowledged any more"] if self.is_stuck else []
        with opened(self.address) as mem:
            verdict = self.verdict(mem, Heard.of(said))
            wrong += verdict.violations(self.subscribers)
        wrong += [] if self.is_quick else self.delays(said)
        report.violations += [f"seed {self.seed}: {line}" for line in wrong]
        figures = self.figures(verdict.heard, said)
        report.figures |= {name: _rounded(value) for name, value in figures.items()}

    def delays(self, said: list[list[Line]]) -> list[str]:
        """What took longer than it may."""
        took, became = self._slowest(said)
        return [f"a call took {took:.1f} seconds and came to {became}"] if took > self.late else []

    def leave(self) -> None:
        """End whoever is still there, after a failure."""
        children = [*self.scribes, *(one.child for one in self.subscribers if one.child)]
        for child in children:
            child.send(signal.SIGKILL)

    def figures(self, heard: Heard, said: list[list[Line]]) -> dict[str, object]:
        """What came of it, in numbers."""
        calls = [call for lines in said for line in lines for call in line.get("calls", ())]
        return {
            "acknowledged": len(heard.acknowledged),
            "calls_that_came_to": dict(Counter(became for _, _, became in calls)),
            "acknowledged_by_repeating": heard.repeated,
            "outcome_unknown": len(heard.unknown),
            "heard": [len(one.heard) for one in self.subscribers],
            "feeds_resumed": sum(one.interrupted + one.rests for one in self.subscribers),
            "longest_call_seconds": self._slowest(said)[0],
        }

    def _slowest(self, said: list[list[Line]]) -> tuple[float, str]:
        return max(self._waits(said), default=(0.0, "nothing"))

    def _waits(self, said: list[list[Line]]) -> Iterator[tuple[float, str]]:
        """How long each call took and what it came to, less the time its process was stopped."""
        for number, lines in enumerate(said):
            stops = self.absent.get(number, ())
            for start, end, became in (call for line in lines for call in line.get("calls", ())):
                away = sum(max(0.0, min(end, b) - max(start, a)) for a, b in stops)
                yield end - start - away, became


@contextmanager
def scene(address: str, through: str, seed: int, report: Report, size: int) -> Iterator[Scene]:
    """A store in use for as long as the block lasts; then it is judged."""
    with playing(Scene(address, through, seed, size), report) as played:
        yield played


@contextmanager
def playing(played: Played, report: Report) -> Iterator[Played]:
    """The same for any sort of scene."""
    try:
        played.begin()
        yield played
        played.end(report)
    finally:
        played.leave()


def _rounded(value: object) -> object:
    return round(value, 2) if isinstance(value, float) else value
