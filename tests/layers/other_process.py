"""Other processes at the same store: `python -m tests.layers.other_process ROLE STORE ...`.

Each says one JSON line for whatever it has to tell, and the first when it is ready.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lamina
from lamina import Memory
from lamina.memory import AgentMemory


def say(what: Any) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def wait(agent: Memory, key: str) -> None:
    say("ready")
    found = agent.blackboard.wait_for(key, timeout=60)
    say(None if found is None else [found.value, found.publisher])


def follow(agent: Memory, notes: str, until: str) -> None:
    """Note each value and where it stood, as one line, before asking for the next."""
    book = Path(notes)
    lines = book.read_text().splitlines()
    start = json.loads(lines[-1])["cursor"] if lines else None
    with book.open("a") as pen, agent.blackboard.subscribe("n:", after=start) as news:
        if not lines:
            pen.write(json.dumps({"cursor": news.cursor}) + "\n")
            pen.flush()
        say("ready")
        for one in news:
            assert one.signal is not None
            pen.write(json.dumps({"value": one.signal.value, "cursor": one.cursor}) + "\n")
            pen.flush()
            if one.signal.value == int(until):
                return


def publish(agent: Memory, first: str, many: str) -> None:
    say("ready")
    sys.stdin.readline()
    for number in range(int(first), int(first) + int(many)):
        agent.blackboard.publish("n:step", number)


def race(agent: Memory, rounds: str) -> None:
    """In each round take the key from the revision that the round begins with."""
    say("ready")
    for number in range(int(rounds)):
        sys.stdin.readline()
        try:
            agent.blackboard.publish("lock", agent.principal.name, expect=number)
            say(True)
        except lamina.ConflictError:
            say(False)


def compact(agent: AgentMemory) -> None:
    """Compact the log and a session and take both back, until the process is killed."""
    say("ready")
    session = agent.session("s")
    while (log := agent.compact_log()) and (done := session.compact(force=True)):
        agent.undo(done.receipt.tx)
        agent.undo(log.receipt.tx)


ROLES: dict[str, Callable[..., None]] = {
    "wait": wait,
    "follow": follow,
    "publish": publish,
    "race": race,
    "compact": compact,
}

if __name__ == "__main__":
    role, store, name, *rest = sys.argv[1:]
    with lamina.open(store) as mem:
        ROLES[role](mem.agent(name, project="web"), *rest)
