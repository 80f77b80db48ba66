"""What was acknowledged before the power went, and whether the store that came back keeps it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lamina
from lamina import Memory
from lamina.core.changes import Version
from lamina.core.ids import RecordId
from lamina.core.layers import LAYERS
from lamina.errors import LaminaError
from lamina.stores.questions import Query
from lamina.stores.sqlite import DATABASE
from tests.faults.agreement import complaints, disagreements
from tests.faults.children.recorded import STORE, digest

Fact = Mapping[str, Any]


@dataclass
class Tally:
    """What was looked at, over many cuts."""

    checked: int = 0
    """Acknowledged and synced, so it had to be there."""
    relaxed: int = 0
    """Acknowledged as committed only, with nothing synced after it."""
    relaxed_lost: int = 0
    erased: int = 0
    not_opened: int = 0
    """Cuts so early that there was no store yet."""


@dataclass
class Survival:
    """One cut: what came before it, and what every writer was in the middle of."""

    root: Path
    past: Sequence[Fact]
    under_way: Sequence[Fact]
    before: Mapping[tuple[str, int], str] = field(default_factory=dict)
    """What the store held before any of it: id and revision, with what it says."""
    tally: Tally = field(default_factory=Tally)

    def problems(self) -> Iterator[str]:
        """Everything that is not as it was promised."""
        yield from self._files()
        store = self.root / STORE
        if not (store / DATABASE).exists():
            self.tally.not_opened += 1
            if self.past or self.before:
                yield "the store is gone"
            return
        yield from self._bytes(store)
        try:
            with lamina.open(store) as mem:
                yield from self._inside(mem, store)
        except LaminaError as error:
            yield f"the store cannot be used: {error.code}: {error}"

    def _inside(self, mem: Memory, store: Path) -> Iterator[str]:
        yield from complaints(mem)
        yield from disagreements(store)
        found = {record.id for record in mem.store.query(Query(reach=mem.reach))}
        history = {one: mem.store.versions(mem.reach, RecordId(one)) for one in self._ids(found)}
        yield from self._gone(mem, found, history)
        yield from self._kept(history)
        yield from self._relaxed(history)
        yield from self._whole(history)
        yield from self._nothing_else(history)
        yield from self._setting(mem)
        yield from self._secrets(mem, found)

    def _ids(self, found: set[RecordId]) -> set[str]:
        told = {row[0] for fact in (*self.past, *self.under_way) for row in fact.get("kept", ())}
        return {*found, *told, *(record_id for record_id, _ in self.before)}

    def _erased(self, facts: Sequence[Fact]) -> set[str]:
        return {one for fact in facts for one in fact.get("erased", ())}

    def _files(self) -> Iterator[str]:
        newest = {fact["file"]: fact["digest"] for fact in self.past if "file" in fact}
        coming = {fact["file"]: fact["digest"] for fact in self.under_way if "file" in fact}
        for name in {**newest, **coming}:
            path = self.root / name
            there = digest(path.read_bytes()) if path.exists() else None
            if there not in (newest.get(name), coming.get(name, newest.get(name))):
                what = "is missing" if there is None else "is not whole"
                yield f"{name} {what}"

    def _bytes(self, store: Path) -> Iterator[str]:
        canaries = [one for fact in self.past for one in fact.get("canaries", ())]
        if not canaries:
            return
        for path in (path for path in store.rglob("*") if path.is_file()):
            content = path.read_bytes()
            back = [one for one in canaries if one.encode() in content]
            if back:
                yield f"{len(back)} erased texts are back in {path.name}"

    def _gone(
        self, mem: Memory, found: set[RecordId], history: Mapping[str, list[Version]]
    ) -> Iterator[str]:
        erased = [RecordId(one) for one in sorted(self._erased(self.past))]
        self.tally.erased += len(erased)
        buried = mem.store.tombstones(erased)
        for one in erased:
            if one in found or any(version.record for version in history.get(one, ())):
                yield f"{one} was erased and is back"
            if one not in buried:
                yield f"{one} was erased and has no tombstone"

    def _kept(self, history: Mapping[str, list[Version]]) -> Iterator[str]:
        """Every acknowledged version that had reached the disk, word for word."""
        promised = dict(self.before)
        for number, fact in enumerate(self.past):
            if fact.get("synced") or self._covered(number):
                promised |= {(row[0], row[1]): row[2] for row in fact.get("kept", ())}
        self.tally.checked += len(promised)
        gone = self._erased((*self.past, *self.under_way))
        for (one, rev), said in promised.items():
            version = next((v for v in history.get(one, ()) if v.event.rev == rev), None)
            if version is None:
                yield f"{one} rev {rev} was acknowledged and is lost"
            elif version.record is None:
                if one not in gone and not _pruned(history[one]):
                    yield f"the content of {one} rev {rev} was acknowledged and is lost"
            elif digest(version.record.text) != said:
                yield f"{one} rev {rev} does not say what was acknowledged"

    def _covered(self, number: int) -> bool:
        """Whether the same writer had something synced acknowledged later."""
        by = self.past[number]["by"]
        later = self.past[number + 1 :]
        return any(fact["by"] == by and _synced(fact) for fact in later)

    def _relaxed(self, history: Mapping[str, list[Version]]) -> Iterator[str]:
        """A relaxed write may be lost, but then everything after it is lost as well."""
        missed: dict[int, str] = {}
        for number, fact in enumerate(self.past):
            if "kept" not in fact or fact["synced"] or self._covered(number):
                continue
            one, rev, _ = fact["kept"][0]
            there = any(version.event.rev == rev for version in history.get(one, ()))
            self.tally.relaxed += 1
            self.tally.relaxed_lost += not there
            if there and fact["by"] in missed:
                yield f"{one} rev {rev} is there, and {missed[fact['by']]} before it is lost"
            if not there:
                missed.setdefault(fact["by"], f"{one} rev {rev}")

    def _whole(self, history: Mapping[str, list[Version]]) -> Iterator[str]:
        """What was under way happened altogether or not at all."""
        for fact in self.under_way:
            rows = fact.get("kept", ())
            there = [
                any(version.event.rev == row[1] for version in history.get(row[0], ()))
                for row in rows
            ]
            if any(there) and not all(there):
                yield f"{sum(there)} of the {len(there)} records of one commit are there"

    def _nothing_else(self, history: Mapping[str, list[Version]]) -> Iterator[str]:
        """Whatever is there was said by somebody."""
        said = dict(self.before)
        for fact in (*self.past, *self.under_way):
            said |= {(row[0], row[1]): row[2] for row in fact.get("kept", ())}
        for one, versions in history.items():
            for version in versions:
                record = version.record
                if record and digest(record.text) != said.get((one, record.rev)):
                    yield f"{one} rev {record.rev} says what nobody wrote"

    def _setting(self, mem: Memory) -> Iterator[str]:
        newest = [fact["setting"] for fact in self.past if "setting" in fact][-1:] or ["newest"]
        coming = [fact["setting"] for fact in self.under_way if "setting" in fact]
        value = mem.settings()["knowledge.ties"]
        if value not in (*newest, *coming):
            yield f"a setting is {value!r}, and {newest[0]!r} was acknowledged"

    def _secrets(self, mem: Memory, found: set[RecordId]) -> Iterator[str]:
        for fact in self.past:
            one, reference, secret = fact.get("sealed", ("", "", ""))
            if one in found and mem.reveal(one, reference) != secret:
                yield f"{one} holds another secret than it was given"


def in_force(facts: Sequence[Fact]) -> list[Fact]:
    """What holds after all of it: a restore takes back what came after its backup.

    Erased stays erased, though, and files outside the store are not concerned.
    """
    held: list[Fact] = []
    for fact in facts:
        if "restored" in fact:
            saved = max(n for n, one in enumerate(held) if one.get("file") == fact["restored"])
            since = [one for one in held[saved + 1 :] if "erased" in one or "file" in one]
            held = [*held[: saved + 1], *since]
        held.append(fact)
    return held


def _synced(fact: Fact) -> bool:
    """An erase is synced as well; it says so by its name."""
    return bool(fact.get("synced") or "erased" in fact)


def _pruned(versions: Sequence[Version]) -> bool:
    """Whether the layer keeps only so many versions, so that an old one may have gone."""
    newest = next((version.record for version in reversed(versions) if version.record), None)
    return newest is not None and LAYERS[newest.layer].history is not None
