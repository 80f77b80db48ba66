"""What `lamina bench layers` measures: each verb of a layer, paired with the plain thing.

Texts and keys are made before the watch starts: making them is no part of either.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lamina.bench.drafts import draft, question
from lamina.bench.measure import Phase
from lamina.core.canonical import dumps
from lamina.core.draft import Draft
from lamina.memory import AgentMemory

if TYPE_CHECKING:
    from lamina.recalling import How

_ENTRIES: Final = 100
"""As long as a log gets before it is compacted. Who has fewer facts has fewer of the rest too."""
_KNOWN: Final = 300
_NOTES: Final = 50
_TASK: Final = "t-1"
_BATCH: Final = 1_000
_PER_TASK: Final = 10
_APPROACHES: Final = 20
_ACTIONS: Final = ("attempted", "completed", "failed", "retried")
_OTHERS: Final = 20
_STEPS: Final = ("read the report", "write the test", "make it pass")


@dataclass(frozen=True, slots=True)
class Pair:
    """One thing to measure, with what it is held against; both take a number that counts up."""

    name: str
    aim_ms: float | None
    """What the source design wants it to take."""
    ours: Callable[[int], object]
    raw_name: str
    raw: Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Desk:
    """An agent at work, and plain files and dictionaries with the same in them."""

    agent: AgentMemory
    folder: Path
    handle: int
    facts: int
    texts: dict[str, str] = field(default_factory=dict)

    @property
    def store(self) -> Path:
        """Where the store of the agent lies."""
        return self.folder / "desk"

    def pairs(self) -> list[Pair]:
        """The latencies that the source designs give."""
        return [*self._files(), *self._keyed(), *self._searched()]

    def _files(self) -> list[Pair]:
        agent, now, log = self.agent, self.folder / "NOW.md", self.folder / "LOG.md"
        return [
            Pair("NOW read", 1, lambda _: agent.now.read(), "read a file",
                 lambda _: now.read_bytes()),
            Pair("NOW update", 5, lambda n: agent.now.update(_text(n), _STEPS), _SYNCED,
                 lambda n: self._append(_text(n), sync=True)),
            Pair("LOG tail", 10, lambda _: agent.log.tail(20), "read a file, last 20 lines",
                 lambda _: log.read_text(encoding="utf-8").splitlines()[-20:]),
            Pair("LOG append", 5, lambda n: agent.log.thought(_text(n)), _SYNCED,
                 lambda n: self._append(_text(n), sync=True)),
        ]  # fmt: skip

    def _searched(self) -> list[Pair]:
        agent, ask = self.agent, self._question
        notes = agent.notebook(_TASK)
        known: How = {"layers": ["knowledge"], "where": {"kind": "pattern", "tags": ["even"]}}
        return [
            Pair("recall", 50, lambda n: agent.recall(ask(n)), _SCAN, self._scan),
            Pair("notebook search", 50, lambda n: notes.search(ask(n)), _SCAN, self._scan),
            Pair("experience search", 10, lambda n: agent.recall(ask(n), **known), _SCAN,
                 self._scan),
        ]  # fmt: skip

    def _keyed(self) -> list[Pair]:
        agent, plain, key = self.agent, self.texts, self._key
        return [
            Pair("fact save", 5, lambda n: agent.fact.save(key(n), _text(self.facts + n)), _SYNCED,
                 lambda n: self._append(_text(n), sync=True)),
            Pair("fact get", 2, lambda n: agent.fact.get(key(n)), _DICTIONARY,
                 lambda n: plain.get(key(n))),
            Pair("working set", 1, lambda n: agent.working.set(key(n), _text(n)),
                 "dictionary set", lambda n: plain.__setitem__(key(n), _text(n))),
            Pair("working get", 1, lambda n: agent.working.get(key(n)), _DICTIONARY,
                 lambda n: plain.get(key(n))),
            Pair("blackboard publish", 1, lambda n: agent.blackboard.publish("step", _signal(n)),
                 "append to a file", lambda n: self._append(dumps(_signal(n)), sync=False)),
            Pair("blackboard read", 1, lambda _: agent.blackboard.read("step"), _DICTIONARY,
                 lambda n: plain.get(key(n))),
        ]  # fmt: skip

    def _key(self, number: int) -> str:
        return _key(number % self.facts)

    def _question(self, number: int) -> str:
        return _question(number % self.facts)

    def _scan(self, number: int) -> list[str]:
        return _holding(self._question(number).split(), self.texts)

    def _append(self, text: str, *, sync: bool) -> None:
        os.write(self.handle, text.encode())
        if sync:
            # macOS has no fdatasync.
            getattr(os, "fdatasync", os.fsync)(self.handle)


@contextmanager
def desk(agent: AgentMemory, folder: Path, facts: int) -> Iterator[Desk]:
    """An agent with as much before it as agents have, and the plain files beside it."""
    kept: list[Draft] = [
        {"layer": "fact", "kind": "general", "key": _key(n), "text": _text(n)} for n in range(facts)
    ]
    entries: list[Draft] = [
        {"layer": "log", "kind": "THOUGHT", "text": _text(n)} for n in range(min(_ENTRIES, facts))
    ]
    known: list[Draft] = [
        {"layer": "knowledge", "kind": "pattern" if n % 3 else "pitfall", "text": _text(n),
         "tags": ["odd" if n % 2 else "even"]}
        for n in range(min(_KNOWN, facts))
    ]  # fmt: skip
    agent.remember_many([*kept, *entries, *known])
    for n in range(min(_NOTES, facts)):
        agent.notebook(_TASK).note(_text(n))
    agent.now.update(_text(0), _STEPS)
    agent.catch_up()
    lines = [_text(n) for n in range(len(entries))]
    (folder / "LOG.md").write_text("\n".join(lines), encoding="utf-8")
    (folder / "NOW.md").write_text("\n".join([_text(0), *_STEPS]), encoding="utf-8")
    handle = os.open(folder / "raw", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        yield Desk(agent, folder, handle, facts, {_key(n): _text(n) for n in range(facts)})
    finally:
        os.close(handle)


def episodes(agent: AgentMemory, many: int, phase: Phase) -> list[Pair]:
    """Fill a store with so many episodes, and say what to ask it."""
    plain: list[Mapping[str, Any]] = []
    with phase("Writing episodes", many) as advance:
        for first in range(0, many, _BATCH):
            batch = [_episode(n) for n in range(first, min(many, first + _BATCH))]
            agent.remember_many([{**one, "scope": agent.episode.scope} for one in batch])
            plain += batch
            advance(first + len(batch))
    tasks = max(1, many // _PER_TASK)
    scan = "look at every episode"
    mine = agent.episode
    return [
        Pair(f"{many:,} episodes: by task", None, lambda n: mine.of_task(_task(n, tasks)), scan,
             lambda n: [one for one in plain if one["data"]["task"] == _task(n, tasks)]),
        Pair(f"{many:,} episodes: by agent and action", None,
             lambda _: mine.query(agent="finn", action="failed"), scan,
             lambda _: [one for one in plain if one["kind"] == "failed"][-100:]),
        Pair(f"{many:,} episodes: rates of all", None, lambda _: mine.rates(),
             scan, lambda _: _counted(plain)),
    ]  # fmt: skip


_SYNCED: Final = "append to a file, synced"
_DICTIONARY: Final = "dictionary get"
_SCAN: Final = "look at every fact"


@cache
def _text(number: int) -> str:
    return draft(number)["text"]


@cache
def _key(number: int) -> str:
    return f"fact-{number}"


def _signal(number: int) -> dict[str, Any]:
    return {"status": "running", "done": number}


@cache
def _question(number: int) -> str:
    return question(number)


def _task(number: int, tasks: int) -> str:
    # Steps of a prime go all over the store rather than along it.
    return f"t-{number * 7919 % tasks}"


def _episode(number: int) -> Draft:
    data = {
        "task": f"t-{number // _PER_TASK}",
        "approach": f"approach {number % _APPROACHES}",
        "duration_ms": number % 5_000,
        "tokens_in": number % 900,
    }
    action = _ACTIONS[number % len(_ACTIONS)]
    return {"layer": "episode", "kind": action, "text": _text(number % _OTHERS), "data": data}


def _counted(plain: list[Mapping[str, Any]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for one in plain:
        if one["kind"] == "completed":
            approach = one["data"]["approach"]
            counts[approach] = counts.get(approach, 0) + 1
    return counts


def _holding(words: list[str], texts: Mapping[str, str]) -> list[str]:
    return [key for key, text in texts.items() if any(word in text for word in words)]
