"""Ten processes write, five follow the feed and are stopped, killed and taken up again at random.

Every one of the five must hear every event, once, in the order of its stream.
"""

import random
import signal
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

import lamina
from tests.faults.agreement import complaints
from tests.faults.child import Child, Line
from tests.faults.report import Report, Tell

SPEAKERS, LISTENERS = 10, 5
SHORTEST, LONGEST = 0.3, 4.0
NEVER, SOON = "600", "2"
"""Seconds of silence after which a listener ends: while others write, and once they are done."""


@dataclass
class Subscriber:
    """One that is interrupted again and again, and goes on from the last cursor it was given."""

    place: str
    heard: list[Line] = field(default_factory=list)
    gaps: list[tuple[int, dict[str, int]]] = field(default_factory=list)
    """After how much of what it heard it was told of a gap, and where it went on."""
    rests: int = 0
    interrupted: int = 0
    """How often the store failed it, and it went on by itself."""
    child: Child | None = None
    until: float = 0.0
    complaint: str = ""
    cursor: str = ""

    def start(self, patience: str) -> None:
        """Go on from where it was."""
        cursor = [self.cursor] if self.cursor else []
        self.child = Child("listener", self.place, patience, *cursor)

    def stop(self, how: signal.Signals | None) -> None:
        """Kill it, or let it come to its end; either way what it said counts as heard."""
        child = self.child
        assert child is not None
        if how is None:
            lines = child.finish(600)
            self.complaint = self.complaint or child.complaint
        else:
            lines = child.kill()
            self.rests += 1
        for line, at in zip(lines, child.heard_at, strict=True):
            self._take(line, at)
        self.child = None

    def _take(self, line: Line, at: float) -> None:
        self.cursor = line.get("cursor", self.cursor)
        self.interrupted += "interrupted" in line
        if "gap" in line:
            self.gaps.append((len(self.heard), line["gap"]))
        elif "seq" in line:
            self.heard.append({**line, "at": at})

    def missed(self, heads: Mapping[str, int]) -> Iterator[str]:
        """What it did not hear of streams that have come so far, heard twice, or out of order."""
        if self.complaint:
            yield self.complaint
        if self.gaps:
            yield f"was told {len(self.gaps)} times that something is gone"
        heard: defaultdict[str, list[int]] = defaultdict(list)
        for line in self.heard:
            heard[line["stream"]].append(line["seq"])
        for stream, last in heads.items():
            if heard[stream] != list(range(1, last + 1)):
                yield f"heard {len(heard[stream])} of {last} in {stream}, or not in order"


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Let it go on for `size` seconds."""
    chance = random.Random(seed)
    place = folder / "store"
    lamina.open(place).close()
    speakers = [Child("speaker", str(place), f"s{n}", str(seed)) for n in range(SPEAKERS)]
    for speaker in speakers:
        speaker.wait_until_ready()
    for speaker in speakers:
        speaker.say("go")
    subscribers = [Subscriber(str(place)) for _ in range(LISTENERS)]
    _interrupt(subscribers, chance, size, tell)
    written = [line["written"] for one in speakers for line in _ended(one) if "written" in line]
    for subscriber in subscribers:
        subscriber.start(SOON)
    for subscriber in subscribers:
        subscriber.stop(None)
    report = Report("feeds", seed, sum(one.rests for one in subscribers) + LISTENERS)
    report.violations = [
        f"seed {seed}: {line}" for line in _violations(place, subscribers, speakers, sum(written))
    ]
    report.figures = {
        "seconds": size, "written": sum(written),
        "interruptions": sum(one.rests for one in subscribers),
        "heard": [len(one.heard) for one in subscribers],
    }  # fmt: skip
    return report


def _ended(speaker: Child) -> list[Line]:
    speaker.say("stop")
    return speaker.finish()


def _interrupt(
    subscribers: list[Subscriber], chance: random.Random, seconds: float, tell: Tell
) -> None:
    """Stop and start subscribers at random until the time is up; all of them rest at the end."""
    start = monotonic()
    while (now := monotonic() - start) < seconds:
        for subscriber in subscribers:
            if now >= subscriber.until:
                if subscriber.child is None:
                    subscriber.start(NEVER)
                else:
                    subscriber.stop(signal.SIGKILL)
                subscriber.until = now + chance.uniform(SHORTEST, LONGEST)
        tell(int(now), int(seconds))
        time.sleep(0.05)
    for subscriber in subscribers:
        if subscriber.child is not None:
            subscriber.stop(signal.SIGKILL)
    tell(int(seconds), int(seconds))


def _violations(
    place: Path, subscribers: list[Subscriber], speakers: list[Child], written: int
) -> Iterator[str]:
    with lamina.open(place) as mem:
        heads = {name: head.seq for name, head in mem.store.position().items()}
        yield from complaints(mem)
    if sum(heads.values()) != written:
        yield f"{written} changes were acknowledged and {sum(heads.values())} are in the log"
    yield from (child.complaint for child in speakers if child.complaint)
    for number, subscriber in enumerate(subscribers):
        if subscriber.interrupted:
            yield f"subscriber {number}: the store failed it {subscriber.interrupted} times"
        yield from (f"subscriber {number}: {line}" for line in subscriber.missed(heads))
