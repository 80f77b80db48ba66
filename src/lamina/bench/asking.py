"""What the processes of the speed benchmark do: one asks Lamina, the other a plain search.

Both run alone in their process, so that what is in memory is what asking takes. Requests and
answers are JSON lines.
"""

import json
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from lamina import clock, config
from lamina.bench.measure import milliseconds, resident_kb
from lamina.core.ids import RecordId
from lamina.core.settings import EMBEDDER
from lamina.core.vectors import Vector
from lamina.embedders.protocol import Embedder, Role
from lamina.embedders.registry import open_embedder
from lamina.errors import UnsupportedError
from lamina.memory import Memory
from lamina.opening import open as open_memory
from lamina.stores.questions import Search

_FIRST: Final = 10


def recall(store: str, first: str, lines: Iterable[str], say: Callable[[Any], None]) -> None:
    """Open a store and ask it once, then whatever comes; each answer says how long it took."""
    start = clock.stopwatch()
    with open_memory(store) as mem:
        mem.cursor()
        opened = clock.stopwatch()
        mem.recall(first)
        recalled = clock.stopwatch()
        found = {"open_ms": opened - start, "first_recall_ms": recalled - opened}
        say({name: milliseconds(took) for name, took in found.items()} | {"kb": resident_kb()})
        for line in lines:
            wanted = json.loads(line)
            if "nearest" in wanted:
                say(_nearest(mem, wanted["nearest"]))
                continue
            calls = [partial(_ask, mem, *one) for one in wanted["questions"]]
            say({**_timed(calls), "kb": resident_kb()})


def plain(folder: Path, spec: str, lines: Iterable[str], say: Callable[[Any], None]) -> None:
    """Ask the plain table and the plain vectors."""
    from lamina.bench.plain import Plain, PlainFiles

    other = Plain(PlainFiles(folder), embedder(spec))
    say({"kb": resident_kb()})
    for line in lines:
        wanted = json.loads(line)
        if "nearest" in wanted:
            say([other.nearest(text) for text in wanted["nearest"]])
            continue
        ask = partial(other.ask, content=wanted["content"])
        calls = [partial(ask, text) for text in wanted["questions"]]
        say({**_timed(calls), "kb": resident_kb()})
    other.close()


def embedder(spec: str) -> Embedder:
    """The embedder of that name; there has to be one."""
    found = open_embedder(spec, config.load_services())
    if found is None:
        raise UnsupportedError(
            "without an embedder there are no vectors to compare", remedy="Name one: --embedder"
        )
    return found


def _ask(mem: Memory, text: str, scope: str | None) -> None:
    mem.recall(text, k=_FIRST, scope=scope)


def _timed(calls: Sequence[Callable[[], object]]) -> dict[str, list[float]]:
    """How long each call took, and how long it had a processor: others may want one as well."""
    seconds, cpu = [], []
    for call in calls:
        start, began = clock.stopwatch(), time.process_time()
        call()
        seconds.append(clock.stopwatch() - start)
        cpu.append(time.process_time() - began)
    return {"seconds": seconds, "cpu": cpu}


def _nearest(mem: Memory, texts: Sequence[str]) -> list[list[RecordId]]:
    """The ids of the nearest records, by vectors alone."""
    mine = embedder(mem.settings()[EMBEDDER])
    found = []
    for text in texts:
        [row] = mine.embed([text], Role.QUERY)
        point = Vector(mine.fingerprint, row.astype("<f4").tobytes())
        answer = mem.store.search(Search(reach=mem.reach, terms=(), vector=point, limit=_FIRST))
        best = sorted(answer.matches, key=lambda match: -(match.cosine or -1.0))
        found.append([match.record.id for match in best[:_FIRST]])
    return found
