"""The processes of `lamina bench scale`: writers of all sorts, and agents that call servers.

A process says one JSON line when it is ready and one for each answer, and ends with its input.
"""

import asyncio
import json
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from itertools import count
from typing import Any, Final

from lamina import clock
from lamina.bench.crowds import LEAST, write_for
from lamina.bench.drafts import draft
from lamina.bench.own_server import session
from lamina.bench.texts import scope_of
from lamina.core.scope import Scope
from lamina.opening import open as open_memory

PLAIN: Final = "bench_plain"
"""Where rows go that are nothing but rows."""
_LARGEST: Final = Scope.of(scope_of(0)).part("project") or ""
"""The project that most of the texts belong to."""


def write(writer: int, postgres: str, sqlite: str) -> None:
    """Each line says in which way to write, and for how many seconds."""
    with ExitStack() as stack:
        large = stack.enter_context(open_memory(postgres))
        small = stack.enter_context(open_memory(sqlite))
        plain = session(postgres)
        stack.callback(plain.close)

        def insert(number: int) -> object:
            row = (json.dumps(draft(number)),)
            return plain.execute(f"insert into {PLAIN} (body) values (?)", row)

        mems = {
            "postgres": large.project("shared"),
            "postgres_apart": large.project(f"own{writer}"),
            "postgres_inside": large.project(_LARGEST),
            "sqlite": small.project("shared"),
        }
        ways: dict[str, Callable[[float], list[float]]] = {
            name: partial(write_for, mem, writer=writer) for name, mem in mems.items()
        }
        ways["plain"] = lambda seconds: _for(seconds, insert)
        for mem in mems.values():
            mem.remember(**draft(writer))
        insert(writer)
        _say("ready")
        for line in sys.stdin:
            way, seconds = line.split()
            _say(ways[way](float(seconds)))


def _for(seconds: float, work: Callable[[int], object]) -> list[float]:
    waits: list[float] = []
    end = clock.stopwatch() + seconds
    for number in count():
        start = clock.stopwatch()
        work(number)
        done = clock.stopwatch()
        waits.append(done - start)
        if done >= end and len(waits) >= LEAST:
            break
    return waits


def main(role: str, *arguments: str) -> None:
    """Play a role."""
    if role == "write":
        writer, postgres, sqlite = arguments
        write(int(writer), postgres, sqlite)
        return
    from lamina.bench.agents import Crowd, live

    _say("ready")
    for line in sys.stdin:
        _say(asyncio.run(live(Crowd(**json.loads(line)))))


def _say(answer: Any) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
