"""Agents A and B, each a process of its own: `python -m lamina.story.agents A STORE`.

All that they have in common is a store and a project. What they do is told line by line, as JSON,
with whether it went as the story goes.
"""

import json
import sys
from collections.abc import Callable
from typing import Final, TypeAlias

from lamina import clock
from lamina.memory import AgentMemory
from lamina.opening import open as open_memory

PROJECT: Final = "module-x"
BUILT: Final = "module:X:built"
STATUS: Final = "task:build-x:status"
FINDING: Final = "Module X: approach Y works, takes 45s. Avoid approach Z (circular dependency)."
_PATIENCE_SECONDS: Final = 30

Tell: TypeAlias = Callable[[str, str, bool], None]
"""Takes the layer, what happened there, and whether it is as it should be."""


def build_module_x(a: AgentMemory, tell: Tell) -> None:
    """Agent A has the task of building module X."""
    a.working.set("artifact", "build/x.bin")
    tell("working", "keeps the path build/x.bin in mind", a.working.get("artifact") is not None)

    notes = a.notebook("build-x")
    notes.note("tried approach Z, and got an error: circular dependency")
    a.episode.record("build-x", "failed", approach="Z", outcome="circular dependency")
    tell("notebook", "notes that approach Z failed: circular dependency", True)

    notes.note("approach Y builds in 45 seconds")
    a.episode.record("build-x", "completed", approach="Y", duration_ms=45_000)
    tell("episode", "records both attempts, and that approach Y went through", True)

    published = a.blackboard.publish(BUILT, "success")
    tell("blackboard", f"publishes {BUILT} = success", published.receipt.rev == 1)

    a.knowledge.put("outcome", "module-x", FINDING, confidence=0.9)
    tell("knowledge", f"promotes what it found: {FINDING}", True)
    a.blackboard.publish(STATUS, "done", ttl="7d")


def touch_module_x(b: AgentMemory, tell: Tell) -> None:
    """Agent B starts a task that touches module X, which is not built yet."""
    tell("blackboard", f"waits for {BUILT}", b.blackboard.read(BUILT) is None)
    signal = b.blackboard.wait_for(BUILT, timeout=_PATIENCE_SECONDS)
    if signal is None:
        tell("blackboard", "heard nothing", False)
        return
    late = (clock.now() - signal.published_at).total_seconds() * 1000
    told = f"hears {BUILT} = {signal.value} from {signal.publisher} after {late:.0f} ms"
    tell("blackboard", told, (signal.value, signal.publisher) == ("success", "a"))
    b.blackboard.wait_for(STATUS, timeout=_PATIENCE_SECONDS)

    hits = b.recall("module X").hits
    found = next((hit.record for hit in hits if hit.record.key == "module-x"), None)
    words = "nothing" if found is None else f"from {found.source}: {found.text}"
    tell("recall", f'asks for "module X" and gets {words}', bool(found and found.text == FINDING))

    best, *others = b.episode.rates()
    avoided = ", ".join(rate.approach for rate in others)
    told = f"takes approach {best.approach}, which worked, and not {avoided}, which did not"
    tell("episode", told, (best.approach, avoided) == ("Y", "Z"))

    b.notebook("touch-x").note("took approach Y on the word of a")
    b.episode.record("touch-x", "completed", approach="Y", duration_ms=46_000)
    tell("notebook", "writes its own notes as it works", len(b.notebook("touch-x").read()) == 1)
    seen = b.query({"layer": "notebook", "source": "a"})
    tell("notebook", "sees none of the notes of a", not seen)


def main(name: str, store: str) -> None:
    """Play one of the two, and stay until the input ends."""
    play = {"A": build_module_x, "B": touch_module_x}[name]
    with open_memory(store) as mem:
        play(mem.agent(name.lower(), project=PROJECT), _say)
        _say("", "", True)
        sys.stdin.read()


def _say(layer: str, text: str, holds: bool) -> None:
    sys.stdout.write(json.dumps([layer, text, holds]) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
