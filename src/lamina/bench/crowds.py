"""Crowds of writers: threads of this process, and processes of their own.

All start together, have written before the watch starts, and do nothing but write until it stops.
They write for a given time rather than a given number, so that what each one got shows who had to
stand back.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from lamina import clock
from lamina.bench.drafts import draft
from lamina.bench.measure import Spread
from lamina.errors import StoreError
from lamina.memory import Memory

PROJECT: Final = "bench"
LEAST: Final = 4
"""Writes of each writer in a round: with fewer, its first and last would be all there is."""
_APART: Final = 10_000_000
"""Each writer has its own memories, none of them among those that a store was prepared with."""
_PATIENCE_SECONDS: Final = 60


@dataclass(frozen=True, slots=True)
class Round:
    """How long each write of each writer took, and all of them together."""

    waits: Sequence[Sequence[float]]
    seconds: float


@dataclass(frozen=True, slots=True)
class Crowd:
    """What so many writers got, over several rounds."""

    writers: int
    writes: int
    per_second: float
    wait: Spread
    least_share: float
    """What the writer with the fewest writes got of an even share; 1 is perfectly fair."""
    most_share: float

    @classmethod
    def of(cls, rounds: Sequence[Round]) -> "Crowd":
        """The figures of rounds with the same number of writers."""
        writers = len(rounds[0].waits)
        got = [sum(len(one.waits[writer]) for one in rounds) for writer in range(writers)]
        even = sum(got) / writers
        return cls(
            writers=writers,
            writes=sum(got),
            per_second=round(sum(got) / sum(one.seconds for one in rounds), 1),
            wait=Spread.of([wait for one in rounds for waits in one.waits for wait in waits]),
            least_share=round(min(got) / even, 3),
            most_share=round(max(got) / even, 3),
        )

    def to_json(self) -> dict[str, Any]:
        """The figures by name, those of the wait among them."""
        found = asdict(self)
        wait = found.pop("wait")
        return {**found, **wait}


def write_for(mem: Memory, seconds: float, writer: int) -> list[float]:
    """How long each write took of one writer that writes for so long."""
    waits: list[float] = []
    end = clock.stopwatch() + seconds
    for number in count(_APART * (writer + 1)):
        asked = draft(number)
        start = clock.stopwatch()
        mem.remember(**asked)
        done = clock.stopwatch()
        waits.append(done - start)
        if done >= end and len(waits) >= LEAST:
            break
    return waits


def threads(mem: Memory, number: int, seconds: float) -> Round:
    """One round of threads, which share the price of a sync."""
    gate = threading.Event()

    def work(writer: int) -> list[float]:
        gate.wait()
        return write_for(mem, seconds, writer)

    with ThreadPoolExecutor(number) as pool:
        # The first writes start the threads and open connections, which is not measured.
        list(pool.map(lambda writer: mem.remember(**draft(writer)), range(number)))
        try:
            running = [pool.submit(work, writer) for writer in range(number)]
        finally:
            start = clock.stopwatch()
            gate.set()
        waits = [one.result() for one in running]
        return Round(waits, clock.stopwatch() - start)


class Child(AbstractContextManager["Child"]):
    """A process of the measurement, which is told lines and answers in JSON lines."""

    def __init__(self, *arguments: object, module: str = "lamina.bench.worker") -> None:
        """Start a module: the worker, whose first argument is its role, unless another is named."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def tell(self, line: str) -> None:
        """Send a line."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def hear(self) -> Any:
        """Wait for an answer."""
        assert self._process.stdout is not None
        answer = self._process.stdout.readline()
        if not answer:
            raise StoreError(
                "a process of the measurement ended before it answered",
                remedy="What it said about that is on standard error",
            )
        return json.loads(answer)

    @property
    def status(self) -> int | None:
        """How the process ended, once it has."""
        return self._process.poll()

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let the process end, which it does when there is nothing more to hear."""
        with self._process as process:
            if exc_type is not None:
                process.kill()
            try:
                process.communicate(timeout=_PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


@dataclass(frozen=True, slots=True)
class Crew:
    """Processes that have stores open and write to one of them when they are told to."""

    children: Sequence[Child]

    @classmethod
    @contextmanager
    def of(cls, number: int, stores: Sequence[Path]) -> Iterator["Crew"]:
        """Start so many processes, and wait until each has written to each store."""
        with ExitStack() as stack:
            children = [
                stack.enter_context(Child("write", writer, *stores)) for writer in range(number)
            ]
            for child in children:
                child.hear()
            yield cls(children)

    def write(self, store: int, number: int, seconds: float) -> Round:
        """One round of the first so many processes on the store with this place in the list."""
        start = clock.stopwatch()
        for child in self.children[:number]:
            child.tell(f"{store} {seconds}")
        waits = [child.hear() for child in self.children[:number]]
        return Round(waits, clock.stopwatch() - start)
