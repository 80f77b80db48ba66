"""How long compaction takes, how much it shrinks, and whether everything is found again."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

from lamina.bench.measure import Phase, check_disk, machine
from lamina.compaction import Compaction
from lamina.core.embedder_spec import OFF
from lamina.core.record import Record
from lamina.core.settings import EMBEDDER
from lamina.core.text import estimate_tokens
from lamina.errors import InvalidInputError
from lamina.memory import AgentMemory
from lamina.opening import open as open_memory

_MOST: Final = 10_000_000
_STEP: Final = 40
_AIM_SECONDS: Final = 2.0
_WORDS: Final = (
    "parser lexer token tree build test cache index query store vector record session agent task"
    " commit branch merge deploy server client request answer timeout retry budget limit queue"
    " worker thread process memory disk page block error warning failure reason result figure name"
).split()


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure, and where."""

    folder: Path
    tokens: int
    entries: int

    def __post_init__(self) -> None:
        for name, value in (("tokens", self.tokens), ("entries", self.entries)):
            if not 1 <= value <= _MOST:
                raise InvalidInputError(f"`{name}` must be from 1 to {_MOST:,}, not {value}")


def measure(plan: Plan, phase: Phase) -> dict[str, Any]:
    """The figures of one session and one log."""
    filesystem = check_disk(plan.folder)
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(dir=plan.folder, prefix="lamina-bench-"))
        mem = stack.enter_context(open_memory(folder))
        mem.configure(EMBEDDER, OFF)
        agent = mem.agent("finn", project="web")
        told = stack.enter_context(phase("compaction", 2))
        rows = {"session": _session(agent, plan.tokens)}
        told(1)
        rows["log"] = _log(agent, plan.entries)
        told(1)
    return {
        "bench": "compaction", "machine": machine(), "filesystem": filesystem,
        "aim_seconds": _AIM_SECONDS, "rows": rows,
    }  # fmt: skip


def _session(agent: AgentMemory, tokens: int) -> dict[str, Any]:
    messages, said = _messages(Random(7)), []
    while tokens > 0:
        said.append(next(messages))
        tokens -= estimate_tokens(said[-1]["text"])
    session = agent.session("long")
    for first in range(0, len(said), _STEP):
        session.extend(said[first : first + _STEP])
    before = session.read()
    start, worked = time.perf_counter(), time.process_time()
    done = session.compact(force=True)
    seconds = (time.perf_counter() - start, time.process_time() - worked)
    kept = {record.id for record in session.read()}
    return _row(agent, done, seconds, [one for one in before if one.id not in kept])


def _log(agent: AgentMemory, entries: int) -> dict[str, Any]:
    chance = Random(8)
    kinds = ("TOOL_USE", "THOUGHT", "USER_FEEDBACK", "ERROR", "SYSTEM")
    agent.remember_many(
        [
            {"layer": "log", "kind": chance.choice(kinds), "text": _text(chance, 60, number)}
            for number in range(entries)
        ]
    )
    before = agent.query({"layer": "log"}, limit=10_000)
    start, worked = time.perf_counter(), time.process_time()
    done = agent.compact_log(force=True)
    seconds = (time.perf_counter() - start, time.process_time() - worked)
    return _row(agent, done, seconds, before)


def _row(
    agent: AgentMemory, done: Compaction | None, seconds: tuple[float, float], gone: list[Record]
) -> dict[str, Any]:
    if done is None:
        raise InvalidInputError("there is too little to compact", remedy="Measure more")
    found = sum(_is_found(agent, record) for record in gone)
    return {
        "replaced": done.entries, "before_tokens": done.before_tokens,
        "after_tokens": done.after_tokens,
        "shrunk": round(1 - done.after_bytes / done.before_bytes, 4),
        "seconds": round(seconds[0], 3), "cpu_seconds": round(seconds[1], 3),
        "meets_aim": seconds[0] < _AIM_SECONDS,
        "found_again": round(found / len(gone), 4),
    }  # fmt: skip


def _is_found(agent: AgentMemory, record: Record) -> bool:
    """Whether a text that was archived is found by its own words."""
    asked = " ".join(record.text.split()[-12:])
    hits = agent.recall(asked, layers=["archive"], k=5).hits
    return any(hit.record.data.get("entry") == record.id for hit in hits)


def _messages(chance: Random) -> Iterator[dict[str, Any]]:
    number = 0
    while True:
        number += 1
        call = {"id": f"c-{number}", "tool": chance.choice(("grep", "read", "test"))}
        yield {"role": "user", "text": _text(chance, 20, number)}
        yield {"role": "assistant", "text": _text(chance, 60, number)}
        yield {"role": "tool_call", "text": _text(chance, 6, number), **call}
        yield {"role": "tool_result", "text": _text(chance, 200, number), **call}


def _text(chance: Random, words: int, number: int) -> str:
    """Words of a trade, a figure now and then, and at the end what only this text says."""
    said = [chance.choice(_WORDS) for _ in range(chance.randint(max(1, words // 2), words))]
    own = "".join(chance.choice("abcdefghijklmnop") for _ in range(10))
    return f"{' '.join(said)} {chance.randint(1, 9999)}. Entry {number} is about {own}."
