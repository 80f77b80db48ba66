"""A process is stopped while it holds the write lock, or anywhere else.

Whoever reads goes on meanwhile, whoever writes waits; when the process is continued, or killed,
all go on, and nothing that was acknowledged is missing.
"""

import random
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from tests.faults.child import Child
from tests.faults.children.work import STORE
from tests.faults.expected import Expected
from tests.faults.report import Report, Tell

WRITERS = 3
SHORTEST, LONGEST = 0.3, 1.2
LONG = 7.0
"""Longer than writers stay in their queue; every so many rounds:"""
ROUNDS_PER_LONG = 5
WARM_UP = 0.1
STOPS_AT_RANDOM = 3
GOES_ON_WITHIN = 60.0
"""Seconds until a process that does nothing counts as stuck."""
READS_WITHIN = 20.0
"""Shorter than writers wait for the lock: they are not to give up because nobody reads."""


@dataclass
class Scene:
    """Writers and a reader at work on one store."""

    folder: Path
    chance: random.Random
    seed: int
    long: bool = False
    readers: list[Child] = field(default_factory=list)
    writers: list[Child] = field(default_factory=list)
    resumed_after_ms: list[float] = field(default_factory=list)
    reads_meanwhile: int = 0

    def begin(self) -> None:
        """Start everyone and let them work for a moment."""
        self.readers = [self._worker(0, "read")]
        self.writers = [self._worker(number, "supersede") for number in range(1, WRITERS + 1)]
        for child in (*self.readers, *self.writers):
            child.wait_until_ready()
        time.sleep(WARM_UP)

    def _worker(self, number: int, operation: str) -> Child:
        return Child("worker", str(self.folder), str(self.seed), str(number), operation)

    def pause(self) -> tuple[float, float]:
        """Let a stop last; when it began and when it ended."""
        start = monotonic()
        time.sleep(LONG if self.long else self.chance.uniform(SHORTEST, LONGEST))
        return start, monotonic()

    def pause_for_readers(self) -> tuple[float, float]:
        """Let a stop last, on a busy machine until somebody has read."""
        start, end = self.pause()
        while not self._reads(start, end) and end < start + READS_WITHIN:
            time.sleep(WARM_UP)
            end = monotonic()
        return start, end

    def _reads(self, start: float, end: float) -> int:
        return sum(_within(child, start, end) for child in self.readers)

    def meanwhile(self, start: float, end: float) -> Iterator[str]:
        """While the lock was held, reads must have been done and no write."""
        reads = self._reads(start, end)
        self.reads_meanwhile += reads
        if not reads:
            yield "nothing could be read while the lock was held"
        for child in self.writers:
            if _within(child, start, end):
                yield "a write was done while another process held the lock"

    def go_on(self, since: float) -> Iterator[str]:
        """Every writer does something new, sooner or later."""
        for child in self.writers:
            line = child.wait_for(lambda one: "did" in one and one["at"] > since, GOES_ON_WITHIN)
            if line is None:
                yield "a writer did not go on"
            else:
                self.resumed_after_ms.append(round((line["at"] - since) * 1000, 1))

    def end(self) -> Iterator[str]:
        """Let everyone finish, and compare what was acknowledged with what is there."""
        expected = Expected(self.folder)
        for child in (*self.readers, *self.writers):
            expected.note(child.finish())
            if child.complaint:
                yield f"a process failed: {child.complaint}"
        yield from expected.broken({})


def _within(child: Child, start: float, end: float) -> int:
    """How many operations began and ended in between."""
    lines = list(child.lines)
    return sum(
        "began" in before and "did" in after and before["at"] > start and after["at"] < end
        for before, after in zip(lines, lines[1:], strict=False)
    )


def _hold(scene: Scene) -> Child:
    holder = Child("holder", str(scene.folder / STORE))
    holder.wait_until_ready()
    holder.say("go")
    if holder.wait_for(lambda line: "holding" in line, GOES_ON_WITHIN) is None:
        raise ChildProcessError("the holder never got the lock")
    return holder


def _held_then_continued(scene: Scene) -> Iterator[str]:
    holder = _hold(scene)
    start, end = scene.pause_for_readers()
    yield from scene.meanwhile(start, end)
    holder.send(signal.SIGCONT)
    yield from scene.go_on(end)
    if not any("done" in line for line in holder.finish()):
        yield f"the holder could not commit: {holder.complaint}"


def _held_then_killed(scene: Scene) -> Iterator[str]:
    holder = _hold(scene)
    start, end = scene.pause_for_readers()
    yield from scene.meanwhile(start, end)
    holder.kill()
    yield from scene.go_on(end)


def _stopped_at_random(scene: Scene) -> Iterator[str]:
    for _ in range(STOPS_AT_RANDOM):
        victim = scene.chance.choice(scene.writers)
        time.sleep(scene.chance.uniform(0, 0.1))
        victim.send(signal.SIGSTOP)
        _, end = scene.pause()
        victim.send(signal.SIGCONT)
        yield from scene.go_on(end)


ACTS: dict[str, Callable[[Scene], Iterator[str]]] = {
    "holder stopped, then continued": _held_then_continued,
    "holder stopped, then killed": _held_then_killed,
    "anyone stopped": _stopped_at_random,
}


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Stop somebody in `size` rounds."""
    report = Report("stops", seed, size)
    resumed: dict[str, list[float]] = {}
    reads = 0
    for number in range(size):
        name = list(ACTS)[number % len(ACTS)]
        long = number % ROUNDS_PER_LONG == ROUNDS_PER_LONG - 1
        scene = Scene(folder / str(number), random.Random(f"{seed} {number}"), seed, long)
        scene.folder.mkdir()
        scene.begin()
        wrong = [*ACTS[name](scene), *scene.end()]
        report.violations += [f"seed {seed}: round {number}, {name}: {line}" for line in wrong]
        resumed.setdefault(name, []).extend(scene.resumed_after_ms)
        reads += scene.reads_meanwhile
        tell(number + 1, size)
    report.figures = {
        "reads_while_the_lock_was_held": reads,
        "writers_went_on_after_ms": {name: _spread(values) for name, values in resumed.items()},
    }
    return report


def _spread(values: Sequence[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {"median": ordered[len(ordered) // 2], "worst": ordered[-1]} if ordered else {}
