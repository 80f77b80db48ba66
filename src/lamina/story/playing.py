"""The director: starts both agents, kills one of them, and looks at what is left."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from lamina.opening import open as open_memory
from lamina.stores.base import Severity
from lamina.story.agents import BUILT, FINDING, PROJECT

DIRECTOR: Final = "-"


@dataclass(frozen=True, slots=True)
class Step:
    """Something that happened, and whether it is what the story tells."""

    who: str
    layer: str
    text: str
    holds: bool


def play(store: Path) -> Iterator[Step]:
    """Tell the story as it happens, on a store that is empty."""
    with _Agent("B", store) as b:
        yield b.next()
        with _Agent("A", store) as a:
            yield from a.rest()
        yield Step(DIRECTOR, "", "the process of A is killed, without a goodbye", a.killed)
        yield from b.rest()
    yield from _afterwards(store)


def _afterwards(store: Path) -> Iterator[Step]:
    """What a third process finds when both are gone."""
    with open_memory(store) as mem:
        a = mem.agent("a", project=PROJECT)
        signal = a.blackboard.read(BUILT)
        built = signal is not None and signal.value == "success"
        yield Step(DIRECTOR, "blackboard", f"{BUILT} is still there", built)
        kept = a.knowledge.get("outcome", "module-x")
        yield Step(DIRECTOR, "knowledge", "so is the finding", bool(kept and kept.text == FINDING))
        gone = not a.working.restore() and a.working.get("artifact") is None
        yield Step(DIRECTOR, "working", "what A had in mind is gone, as it should be", gone)
        ways = {episode.data["approach"] for episode in a.episode.query()}
        yield Step(DIRECTOR, "episode", "three attempts by two agents are on record",
                   len(a.episode.query()) == 3 and ways == {"Y", "Z"})  # fmt: skip
        yield Step(
            DIRECTOR,
            "log",
            "the log of the store is whole",
            all(found.severity is Severity.OK for found in mem.verify()),
        )


class _Agent:
    """An agent in a process of its own, which is killed in the end."""

    def __init__(self, name: str, store: Path) -> None:
        self.name = name
        self.killed = False
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lamina.story.agents", name, str(store)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def next(self) -> Step:
        """What it tells next; nothing but an end is a story gone wrong."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            return Step(self.name, "", f"ended with status {self._process.wait()}", False)
        layer, text, holds = json.loads(line)
        return Step(self.name, layer, text, holds)

    def rest(self) -> Iterator[Step]:
        """All that it tells until it is done."""
        step = self.next()
        while step.layer:
            yield step
            step = self.next()
        if step.text:
            yield step

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.killed = self._process.poll() is None
        self._process.kill()
        self._process.communicate()
