"""What the processes on a store were promised, and whether the store keeps it.

A process that is killed was in the middle of at most one operation in each of its threads; that one
may have happened or not, everything before it must have.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lamina
from lamina import Memory, clock
from lamina.core.changes import Action
from lamina.core.ids import RecordId
from lamina.core.record import Record, State
from lamina.core.text import query_terms
from lamina.embedding import Vectors
from lamina.exchange import export_lines
from lamina.stores.questions import Query, Search
from lamina.stores.sqlite.store import SqliteStore
from lamina.testing.embedders import FakeEmbedder
from tests.faults.agreement import all_of, complaints, disagreements
from tests.faults.children.work import DIMENSIONS, EXPORT, STORE, first_word
from tests.stores import segmented

Intent = Mapping[str, Any]
CHANGES_ONE = ("remember", "edit", "forget", "undo", "erase")
LOOKED_UP = 30
"""How many of the newest promises are searched for by their own word."""


@dataclass(frozen=True)
class Promise:
    """The newest acknowledged state of one record."""

    rev: int
    state: str | None
    word: str


@dataclass
class Expected:
    """What one store has promised so far."""

    folder: Path
    newest: dict[str, Promise] = field(default_factory=dict)
    acknowledged: set[tuple[str, int]] = field(default_factory=set)
    erased: set[str] = field(default_factory=set)
    revealed: list[tuple[str, str, str]] = field(default_factory=list)
    exported: str | None = None
    configured: str = "newest"

    def note(self, lines: Sequence[Mapping[str, Any]]) -> int:
        """Take in what a child said it was promised; the number of promises."""
        facts = [line["did"] for line in lines if "did" in line]
        for fact in facts:
            for record_id, rev, state, word in fact.get("kept", ()):
                self.newest[record_id] = Promise(rev, state, word)
                self.acknowledged.add((record_id, rev))
            for record_id in fact.get("erased", ()):
                self.erased.add(record_id)
                self.newest.pop(record_id, None)
            if "revealed" in fact:
                self.revealed.append(fact["revealed"])
            self.exported = fact.get("exported", self.exported)
            self.configured = fact.get("configured", self.configured)
        return len(facts)

    def broken(self, under_way: Intent) -> list[str]:
        """What was promised and is not so, also when the store cannot even be read."""

        def examine() -> Iterator[str]:
            embedder = FakeEmbedder(DIMENSIONS)
            with lamina.open(self.folder / STORE, embedder=embedder) as mem:
                yield from self.violations(mem, under_way)

        return all_of(examine())

    def violations(self, mem: Memory, under_way: Intent) -> Iterator[str]:
        """What was promised and is not so; then take over what the interrupted operation did."""
        yield from complaints(mem)
        yield from disagreements(self.folder / STORE)
        found = {record.id: record for record in mem.store.query(Query(reach=mem.reach))}
        yield from self._export(mem, under_way)
        yield from self._events(mem)
        yield from self._gone(mem, found, under_way)
        yield from self._records(found, under_way)
        yield from _halves(found)
        yield from self._setting(mem, under_way)
        yield from self._words(mem)
        yield from self._secrets(mem)
        yield from self._vectors(mem)

    def _events(self, mem: Memory) -> Iterator[str]:
        events = [
            event for name in mem.store.streams() for event in mem.store.events(name, limit=None)
        ]
        written = {(event.record, event.rev) for event in events}
        for record_id, rev in sorted(self.acknowledged - written):
            yield f"{record_id} rev {rev} was acknowledged and is not in the log"
        read = Counter(event.record for event in events if event.action is Action.WITNESSED)
        for record_id in {record_id for record_id, *_ in self.revealed} - self.erased:
            if not read[RecordId(record_id)]:
                yield f"a secret of {record_id} was read and the log does not say so"

    def _gone(
        self, mem: Memory, found: Mapping[RecordId, Record], under_way: Intent
    ) -> Iterator[str]:
        half_erased = under_way.get("erase")
        if half_erased is not None and half_erased not in found:
            self.erased.add(half_erased)
            self.newest.pop(half_erased, None)
        ids = [RecordId(record_id) for record_id in sorted(self.erased)]
        buried = mem.store.tombstones(ids)
        for record_id in ids:
            if record_id in found:
                yield f"{record_id} was erased and is there"
            if record_id not in buried:
                yield f"{record_id} was erased and has no tombstone"

    def _records(self, found: Mapping[RecordId, Record], under_way: Intent) -> Iterator[str]:
        for record_id, promise in self.newest.items():
            record = found.get(RecordId(record_id))
            if record is None or record.rev < promise.rev:
                yield f"{record_id} rev {promise.rev} was acknowledged and is lost: {record}"
            elif record.rev == promise.rev and _promise(record) != promise:
                yield f"{record_id} is not what was acknowledged: {promise} but {record}"
        moved = [
            record
            for record in found.values()
            if record.id not in self.newest or record.rev > self.newest[record.id].rev
        ]
        alone = [record for record in moved if "group" not in record.data]
        most = under_way.get("at_once", 1) if any(name in under_way for name in CHANGES_ONE) else 0
        if len(alone) > most or (len(moved) > len(alone) and "batch" not in under_way):
            yield f"{len(moved)} records changed while {dict(under_way)} was under way"
        self.newest.update({record.id: _promise(record) for record in moved})
        self.acknowledged.update((record.id, record.rev) for record in moved)

    def _setting(self, mem: Memory, under_way: Intent) -> Iterator[str]:
        value = mem.settings()["knowledge.ties"]
        if value not in (self.configured, under_way.get("configure")):
            yield f"a setting is {value!r}, and {self.configured!r} was acknowledged"
        self.configured = value

    def _export(self, mem: Memory, under_way: Intent) -> Iterator[str]:
        target = self.folder / EXPORT
        there = hashlib.sha256(target.read_bytes()).hexdigest() if target.exists() else None
        if there != self.exported:
            whole = "".join(line + "\n" for line in export_lines(mem))
            now = hashlib.sha256(whole.encode()).hexdigest()
            if "export" not in under_way or there != now:
                yield "the exported file is neither the old one nor the new one"
        self.exported = there

    def _words(self, mem: Memory) -> Iterator[str]:
        for record_id, promise in list(self.newest.items())[-LOOKED_UP:]:
            if promise.state not in (State.CURRENT, State.FORGOTTEN):
                continue
            terms = query_terms(promise.word)
            asked = Search(reach=mem.reach, terms=terms, live_at=clock.now())
            hits = {match.record.id for match in mem.store.search(asked).matches}
            if (record_id in hits) is not (promise.state == State.CURRENT):
                yield f"{record_id} is {promise.state} and its word finds {sorted(hits)}"

    def _vectors(self, mem: Memory) -> Iterator[str]:
        """All vectors can be made, and segments say what the tables say."""
        vectors = Vectors(mem.store, FakeEmbedder(DIMENSIONS))
        vectors.make()
        asked = vectors.question("filler1 filler2")
        search = Search(
            reach=mem.reach, terms=query_terms("filler1 filler2"), vector=asked.vector, limit=500
        )
        assert isinstance(mem.store, SqliteStore)
        with segmented.large_for_a_while():
            yield from segmented.disagreements(mem.store, search)
            mem.store.fold()
            yield from segmented.disagreements(mem.store, search)
        waiting = mem.store.progress(FakeEmbedder(DIMENSIONS).fingerprint).pending
        if waiting or asked.degraded:
            yield f"{waiting} vectors cannot be made: {asked.degraded}"
        left = [path.name for path in segmented.files(self.folder / STORE)]
        if odd := [name for name in left if not name.startswith(("words-", "vectors"))]:
            yield f"files are left over: {odd}"
        if len({name.split("-")[0] for name in left}) > 2:
            yield f"files of spaces that were left: {left}"

    def _secrets(self, mem: Memory) -> Iterator[str]:
        for record_id, reference, secret in self.revealed[-1:]:
            if record_id not in self.erased and mem.reveal(record_id, reference) != secret:
                yield f"{record_id} holds another secret than it was given"


def _promise(record: Record) -> Promise:
    return Promise(record.rev, record.state.value, first_word(record.text))


def _halves(found: Mapping[RecordId, Record]) -> Iterator[str]:
    """Commits of several records of which only some are there."""
    groups = Counter(
        (record.data["group"], record.data["of"])
        for record in found.values()
        if "group" in record.data
    )
    for (name, of), number in groups.items():
        if number != of:
            yield f"{number} of the {of} records of one commit are there ({name})"
