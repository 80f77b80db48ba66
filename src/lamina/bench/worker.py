"""The processes that `lamina bench` starts: `python -m lamina.bench.worker ROLE ...`.

A worker says one JSON line when it is ready and one for each answer, and ends with its input.
"""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any, Final

from lamina import clock
from lamina.bench.measure import milliseconds, resident_kb
from lamina.errors import LaminaError
from lamina.opening import open as open_memory

_PROJECT: Final = "bench"
_SOAKERS: Final = 8


def write(writer: int, *stores: str) -> None:
    """Each line says to which store to write, and for how many seconds."""
    from lamina.bench.crowds import write_for
    from lamina.bench.drafts import draft

    with ExitStack() as stack:
        mems = [stack.enter_context(open_memory(store, project=_PROJECT)) for store in stores]
        for mem in mems:
            mem.remember(**draft(writer))
        _say("ready")
        for line in sys.stdin:
            store, seconds = line.split()
            _say(write_for(mems[int(store)], float(seconds), writer))


def look(store: str, known: str, question: str) -> None:
    """Open the store, read a record and search: what a hook at a prompt does."""
    start = clock.stopwatch()
    with open_memory(store, project=_PROJECT) as mem:
        mem.get(known)
        opened = clock.stopwatch()
        mem.recall(question)
        recalled = clock.stopwatch()
        found = {"open_ms": opened - start, "recall_ms": recalled - opened}
        _say({name: milliseconds(took) for name, took in found.items()} | {"kb": resident_kb()})


def soak(store: str, writes: int, samples: int) -> None:
    """Write much, by several threads, and say how much memory that takes now and then."""
    from lamina.bench.drafts import draft

    with (
        open_memory(store, project=_PROJECT) as mem,
        ThreadPoolExecutor(_SOAKERS) as pool,
    ):
        _say(resident_kb())
        share = max(1, writes // samples)
        for first in range(0, share * samples, share):
            numbers = range(first, first + share)
            for _ in pool.map(lambda number: mem.remember(**draft(number)), numbers):
                pass
            _say(resident_kb())


def follow(store: str, wakes: int) -> None:
    """Wait for one write, then note when so many more arrive."""
    with open_memory(store, project=_PROJECT) as mem:
        feed = mem.changes(after=mem.cursor(), follow=True)
        _say("ready")
        wall, cpu = clock.stopwatch(), time.process_time()
        next(feed)
        _say({"wall": clock.stopwatch() - wall, "cpu": time.process_time() - cpu})
        # On Linux and macOS the stopwatches of two processes can be compared.
        _say({next(feed).event.record: clock.stopwatch() for _ in range(wakes)})


def board(store: str, wakes: int) -> None:
    """Wait for so many signals, and note when each arrives."""
    with open_memory(store) as mem:
        news = mem.agent("maya", project=_PROJECT).blackboard.subscribe("wake")
        _say("ready")
        _say([clock.stopwatch() for _ in islice(news, wakes)])


def main(role: str, *arguments: str) -> None:
    """Play a role."""
    match role, *arguments:
        case "write", writer, *stores:
            write(int(writer), *stores)
        case "look", store, known, question:
            look(store, known, question)
        case "follow", store, wakes:
            follow(store, int(wakes))
        case "board", store, wakes:
            board(store, int(wakes))
        case "soak", store, writes, samples:
            soak(store, int(writes), int(samples))
        case "recall", store, first:
            from lamina.bench import asking

            asking.recall(store, first, sys.stdin, _say)
        case "http_load", *_:
            from lamina.bench import http_load

            http_load.main()
        case "plain", folder, spec:
            from lamina.bench import asking

            asking.plain(Path(folder), spec, sys.stdin, _say)


def _say(answer: Any) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except LaminaError as error:
        sys.exit(f"Error: {error}")
    except KeyboardInterrupt:
        # The one who started it has been interrupted too, and says so.
        sys.exit(130)
