"""What one memory has to do with others: cited, replaced, of one task, recalled together.

Links are found by asking, never kept: what a record cites is in its data, what was recalled
together in the counts of use and, where reads are announced, in the notices. Each question is
bounded, and asks within the reach of the handle alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from lamina.core.filters import parse
from lamina.core.ids import TIME_LENGTH, RecordId, is_id
from lamina.core.layers import OWNERS
from lamina.core.record import State
from lamina.curation.sharing import shared_words
from lamina.stores.questions import Query
from lamina.timing import StoreClock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from lamina.core.access import Reach
    from lamina.core.record import Record
    from lamina.layers.face import Door

MOST: Final = 24
"""How many neighbours are told of at most, unless the caller wants fewer."""
LONGEST: Final = 30
"""How many records of one chain are told of at most."""
_EACH: Final = 6
"""How many neighbours one sort of link brings."""
_DEEP: Final = 4
_CITED: Final = 40
_STATES: Final = [state.value for state in State]
_GOING: Final = (State.SUPERSEDED, State.FORGOTTEN, State.ARCHIVED)


class How(StrEnum):
    """What ties two memories, the strongest first."""

    SUPERSEDES = "supersedes"
    SUPERSEDED_BY = "superseded_by"
    RIVAL = "rival"
    """Another statement under the same key, of which one waits to be accepted."""
    CITES = "cites"
    CITED_BY = "cited_by"
    SAME_KEY = "same_key"
    SAME_TASK = "same_task"
    RECALLED_WITH = "recalled_with"
    SHARES = "shares"
    """They name the same things."""


_ORDER: Final = {how: number for number, how in enumerate(How)}


@dataclass(frozen=True, slots=True)
class Tie:
    """One way in which a neighbour is tied."""

    how: How
    why: str
    """What ties them: a field, a key, a task, the words; empty where `how` says it all."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A memory, and all that ties it to the one in question, the strongest first."""

    record: Record
    ties: tuple[Tie, ...]


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """One memory and those around it, as a handle sees them."""

    record: Record
    neighbours: tuple[Neighbour, ...]
    left_out: int
    """How many more were found than are shown."""
    chain: tuple[Record, ...]
    """What it replaced and what replaced it, oldest first, itself among them."""


@dataclass
class Links:
    """The search for what has to do with one record."""

    door: Door
    record: Record
    found: dict[RecordId, list[Tie]] = field(default_factory=dict)
    replacing: dict[RecordId, list[Record]] = field(default_factory=dict)
    """What replaces a record, as far as it was asked: no index knows, so it is asked once."""

    def gather(self) -> None:
        """Ask for everything, the cheap before the dear."""
        record = self.record
        if record.supersedes is not None:
            self._add(How.SUPERSEDES, [record.supersedes])
        for one in self.newer(record):
            is_rival = State.PROPOSED in (one.state, record.state)
            self._add(How.RIVAL if is_rival else How.SUPERSEDED_BY, [one.id])
        for name, cited in _named(record.data):
            if cited != record.supersedes:
                self._add(How.CITES, [cited], name)
        self._cited_by()
        self._same()
        words = shared_words(self.door.store, self.reach, record, self._now)
        self._recalled_with(words)
        for near, said in list(words.items())[:_EACH]:
            self._add(How.SHARES, [near], said)

    @property
    def reach(self) -> Reach:
        """What the handle sees, without what says who may come in."""
        return self.door.reach.without(OWNERS)

    @property
    def _now(self) -> datetime:
        return StoreClock(self.door.store).now()

    def newer(self, record: Record) -> list[Record]:
        """The records that say that they replace this one."""
        if record.id not in self.replacing:
            where = {"scope": record.scope, "layer": record.layer, "supersedes": record.id}
            self.replacing[record.id] = self._ask(where)
        return self.replacing[record.id]

    def ranked(self) -> list[tuple[RecordId, tuple[Tie, ...]]]:
        """The ids that were found with their ties, the strongest first."""
        tied = {one: tuple(sorted(ties, key=lambda tie: _ORDER[tie.how]))
                for one, ties in self.found.items()}  # fmt: skip
        return sorted(tied.items(), key=lambda pair: (_ORDER[pair[1][0].how], -len(pair[1])))

    def _add(self, how: How, ids: Iterable[RecordId], why: str = "") -> None:
        for one in ids:
            known = self.found.setdefault(one, []) if one != self.record.id else []
            if all(tie.how is not how for tie in known):
                known.append(Tie(how, why))

    def _ask(self, where: Mapping[str, Any], limit: int = _EACH) -> list[Record]:
        said = {"state": {"$in": _STATES}, **where}
        return self.door.store.query(Query(reach=self.reach, where=parse(said), limit=limit))

    def _cited_by(self) -> None:
        """Those that name it in their data, by the fields in which layers write such names."""
        record = self.record
        here = {"scope": record.scope, "layer": record.layer}
        # What was promoted is younger than where it came from, or of the same millisecond.
        later = {"layer": "knowledge", "id": {"$gt": record.id[:TIME_LENGTH]}}
        asked: list[tuple[str, dict[str, Any]]] = [
            ("promoted", {**later, "data.promoted.id": record.id}),
        ]
        if record.state in _GOING:
            asked.append(("merged", {**here, "data.merged": [record.id]}))
        if record.layer == "session":
            asked.append(("cites", {**here, "kind": "summary", "data.cites": [record.id]}))
            said_of = {"layer": {"$in": ["fact", "knowledge"]}, "data.proposed.from": [record.id]}
            asked.append(("proposed", said_of))
        for name, where in asked:
            for one in self._ask(where):
                self._add(How.CITED_BY, [one.id], name)

    def _same(self) -> None:
        """Those of the same key or task, which have indexes."""
        record = self.record
        if record.key is not None:
            live = {"state": {"$in": [State.CURRENT.value, State.PROPOSED.value]}}
            for one in self._ask({"key": record.key, **live}):
                in_place = (one.scope, one.layer, one.kind) == (
                    record.scope, record.layer, record.kind)  # fmt: skip
                is_rival = in_place and State.PROPOSED in (one.state, record.state)
                self._add(How.RIVAL if is_rival else How.SAME_KEY, [one.id], record.key)
        task = record.key if record.layer == "task" else record.data.get("task")
        if isinstance(task, str) and task:
            whole = {"state": State.CURRENT.value}
            of_it = self._ask({"data.task": task, **whole})
            itself = self._ask({"layer": "task", "key": task, **whole}, limit=1)
            self._add(How.SAME_TASK, [one.id for one in (*itself, *of_it)], task)

    def _recalled_with(self, words: Mapping[RecordId, str]) -> None:
        """Those that one answer has held together with it.

        Counts of use have the instant of the answer that came last: who has the same one was in it.
        They are looked at for what comes into question anyway. Notices know every answer, where a
        store keeps them.
        """
        record, store = self.record, self.door.store
        times: Counter[RecordId] = Counter()
        for results in _searches(self.door):
            if record.id in results:
                times.update(one for one in results if one != record.id)
        for one, count in times.most_common(_EACH):
            self._add(How.RECALLED_WITH, [one], f"{count} times" if count > 1 else "once")
        ids = list(dict.fromkeys((record.id, *self.found, *words)))
        used = store.usage(self.reach, ids)
        last = used.pop(record.id, None)
        together = [one for one, usage in used.items() if last and usage.last == last.last]
        self._add(How.RECALLED_WITH, together[:_EACH], "in the last answer with it")


def _searches(door: Door) -> Iterator[tuple[RecordId, ...]]:
    """What was found together by the searches that the store has kept."""
    from lamina.core.announcements import MOST_NOTICES, Audience, MemorySearch
    from lamina.core.settings import READS

    if door.settings()[READS] != "on":
        return
    heard = door.store.noted(Audience(door.reach, door.principal.identity), 0, MOST_NOTICES)
    for notice in heard.notices:
        if isinstance(notice.said, MemorySearch):
            yield notice.said.results


def _named(value: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, RecordId]]:
    """The ids that stand in a value, each with the field that it stands in."""
    found = 0
    if isinstance(value, str) and is_id(value):
        yield name, RecordId(value)
    elif isinstance(value, dict | list) and depth < _DEEP:
        inner = value.items() if isinstance(value, dict) else ((name, one) for one in value)
        for key, one in inner:
            for pair in _named(one, name or str(key), depth + 1):
                if found == _CITED:
                    return
                found += 1
                yield pair
