"""Stores are damaged in every way we know of; the doctor must find it, and heal the right side.

What can be worked out from the records is repaired, and afterwards the store says exactly what it
said before. The records themselves are never touched. Sound stores raise no alarm.
"""

import hashlib
import random
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lamina import Memory
from lamina.core.anchor import Anchor
from lamina.core.text import query_terms
from lamina.errors import InvalidInputError, StoreDamagedError, StoreError
from lamina.exchange import export_lines
from lamina.maintaining import analysed
from lamina.stores.base import Finding, Severity
from lamina.stores.questions import Search
from lamina.stores.sql.driver import rows
from lamina.stores.sqlite import DATABASE
from lamina.stores.sqlite.care.logfile import look_at_log
from lamina.stores.sqlite.driver import DriverError
from tests.faults.damages.of_files import ANCHOR
from tests.faults.damages.planting import Damage, Side, raw
from tests.faults.damages.table import DAMAGES
from tests.faults.damages.workload import WORDS, embed, fill, opened
from tests.faults.report import Report, Tell
from tests.meta.tree import ROOT

Answer = tuple[str, float, float | None]
KEPT_FOR_LATER = ROOT / "build" / "damage"
KEPT_AT_MOST = 3
TRIALS_PER_SOUND = 15
"""Now and then a store is only looked at, and must raise no alarm."""
KEPT = {
    "stream": "sid, name, seq, hash",
    "record": "rid, id, sid, scope, layer, key, created_at",
    "version": "vid, rid, rev, from_seq, state, kind, text, data, tags, importance, confidence,"
    " trust, source, tokens, updated_at, valid_from, expires_at, supersedes, salt",
    "event": "*",
    "receipt": "*",
    "sealed": "*",
}
"""What nothing else says, and no repair may change."""
VOUCHED = ("file", "schema", "chain", "versions", "digests")
"""The checks without which nothing may be built anew: it would be built from the wrong side."""


@dataclass
class Sound:
    """A store before anything happened to it."""

    folder: Path
    seed: int
    says: list[str]
    answers: list[Answer]
    anchor: Anchor

    @classmethod
    def made(cls, folder: Path, seed: int) -> "Sound":
        """A new store with a history of its own."""
        fill(folder, seed)
        with opened(folder) as mem:
            return cls(folder, seed, exported(mem), answers(mem), mem.anchor())


def exported(mem: Memory) -> list[str]:
    """Everything that a store says, and said before."""
    return list(export_lines(mem, history=True))


def answers(mem: Memory) -> list[Answer]:
    """What is found by words and by nearness, and how well."""
    vectors = embed(mem)
    found: list[Answer] = []
    for word in WORDS:
        asked = vectors.question(word).vector
        search = Search(reach=mem.reach, terms=query_terms(word), vector=asked, limit=50)
        found += [
            (match.record.id, match.score, None if match.cosine is None else round(match.cosine, 5))
            for match in mem.store.search(search).matches
        ]
    return found


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Plant `size` damages, class after class, each in a store of its own."""
    report = Report("damage", seed, size)
    counted: Counter[str] = Counter()
    order = list(DAMAGES)
    random.Random(seed).shuffle(order)
    sound: Sound | None = None
    for number in range(size):
        one_seed = seed + number // len(order)
        if sound is None or sound.seed != one_seed:
            sound = Sound.made(folder / f"sound-{one_seed}", one_seed)
        if number % TRIALS_PER_SOUND == 0:
            report.violations += false_alarms(folder / "clean", seed * 1000 + number, counted)
        damage = order[number % len(order)]
        copy = folder / f"copy-{number}"
        wrong = Trial(sound, damage, copy, counted).violations()
        shutil.rmtree(copy, ignore_errors=True)
        if wrong:
            kept_as = keep(sound, damage) if len(report.violations) < KEPT_AT_MOST else "not kept"
            report.violations += [f"seed {one_seed}: {damage.name} ({kept_as}): {wrong}"]
        tell(number + 1, size)
    report.figures = {"classes": min(size, len(order)), **dict(sorted(counted.items()))}
    return report


def keep(sound: Sound, damage: Damage) -> str:
    """Put a store with the damage aside: ids and salts are different in every run."""
    place = KEPT_FOR_LATER / f"{sound.seed}-{''.join(filter(str.isalnum, damage.name))}"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(sound.folder, place)
    damage.plant(place, random.Random(f"{damage.name} {sound.seed}"))
    return str(place.relative_to(ROOT))


def false_alarms(folder: Path, seed: int, counted: Counter[str]) -> list[str]:
    """What the doctor has to say about a store that nobody touched."""
    fill(folder, seed, steps=30)
    with opened(folder) as mem:
        alarms = [one for one in mem.check() if one.severity is not Severity.OK]
    shutil.rmtree(folder)
    counted["sound stores"] += 1
    counted["false alarms"] += len(alarms)
    return [f"seed {seed}: a sound store: {one}" for one in alarms]


@dataclass
class Trial:
    """One damage in one copy of a store."""

    sound: Sound
    damage: Damage
    folder: Path
    counted: Counter[str]

    def violations(self) -> list[str]:
        """What went wrong, if anything; what the doctor did not catch itself is wrong as well."""
        try:
            return self.run()
        except Exception as error:
            return [f"it came to {error!r}"]

    def run(self) -> list[str]:
        """Plant the damage, look, and see that the right thing becomes of it."""
        shutil.copytree(self.sound.folder, self.folder)
        self.damage.plant(self.folder, random.Random(f"{self.damage.name} {self.sound.seed}"))
        found = self.look()
        told = [one for one in found if one.severity is not Severity.OK]
        self.counted["found"] += any(one.severity.is_damage for one in found)
        if missed := self.unsaid(told):
            return [missed]
        match self.damage.side:
            case Side.DERIVED:
                return list(self.healed(found))
            case Side.RECORD:
                return list(self.untouched(found))
            case Side.EITHER:
                return list(self.either(found))
            case Side.ANCHORED:
                return list(self.anchored(found))
            case _:
                return list(self.harmless(found))

    def look(self) -> list[Finding]:
        """What the doctor finds; a store that cannot be opened is a finding of its own."""
        before = look_at_log(self.folder / DATABASE)
        if any(one.severity.is_damage for one in before):
            return before
        try:
            with opened(self.folder) as mem:
                return [*before, *mem.check()]
        except StoreError as error:
            return [Finding("open", Severity.RECORD, error.message, error.remedy)]

    def unsaid(self, told: list[Finding]) -> str:
        """That the right check kept silent, if it did."""
        speaking = {one.check for one in told}
        if self.damage.says and not speaking & set(self.damage.says):
            return f"none of {self.damage.says} speaks up, only {speaking}"
        without = [one for one in told if one.severity.is_damage and not one.remedy]
        return f"no remedy: {without}" if without and "more like" not in without[0].message else ""

    def healed(self, found: list[Finding]) -> Iterator[str]:
        """Only what is derived is called damaged, and a repair leaves no trace of it."""
        worst = {one.severity for one in found if one.severity.is_damage}
        if worst != {Severity.DERIVED}:
            yield f"it should be derived: {[one for one in found if one.severity.is_damage]}"
            return
        self.counted["derived"] += 1
        with opened(self.folder) as mem:
            mem.store.repair(analysed)
            left = [one for one in mem.check() if one.severity.is_damage]
            if left:
                yield f"after the repair: {left}"
            if exported(mem) != self.sound.says:
                yield "the repair changed what the store says"
            if answers(mem) != self.sound.answers:
                yield "the repair changed what is found"
            mem.remember("it can be written", key="later")
            if broken := [one for one in mem.check() if one.severity.is_damage]:
                yield f"after the next write: {broken}"
        self.counted["repaired"] += 1

    def untouched(self, found: list[Finding]) -> Iterator[str]:
        """The records are called damaged, and a repair leaves them alone."""
        if not any(one.severity is Severity.RECORD for one in found):
            yield f"it should be record: {[one for one in found if one.severity.is_damage]}"
            return
        self.counted["record"] += 1
        if found[0].check == "log":
            # The doctor does not open such a store, and neither may we.
            return
        before, bytes_before = kept(self.folder), digest(self.folder)
        vouched = [one for one in found if one.severity is Severity.RECORD and one.check in VOUCHED]
        try:
            with opened(self.folder) as mem:
                mem.store.repair(analysed)
            if vouched:
                yield f"it was built upon all the same: {vouched}"
        except StoreDamagedError:
            if digest(self.folder) != bytes_before:
                yield "the repair was refused and changed something all the same"
        except StoreError as error:
            if found[0].check != "open":
                yield f"the repair failed: {error}"
            return
        if kept(self.folder) != before:
            yield "the repair changed the records"

    def either(self, found: list[Finding]) -> Iterator[str]:
        """Found for what it is, or without any consequence."""
        worst = {one.severity for one in found if one.severity.is_damage}
        if Severity.RECORD in worst:
            yield from self.untouched(found)
        elif worst:
            yield from self.healed(found)
        else:
            self.counted["without consequence"] += 1
            with opened(self.folder) as mem:
                if exported(mem) != self.sound.says or answers(mem) != self.sound.answers:
                    yield "the store says something else, and nobody noticed"

    def anchored(self, found: list[Finding]) -> Iterator[str]:
        """Nothing is seen from inside; an anchor that was kept elsewhere shows it."""
        if seen := [one for one in found if one.severity.is_damage]:
            yield f"it is seen after all, which the documents deny: {seen}"
        self.counted["only with an anchor"] += 1
        with opened(self.folder) as mem:
            try:
                shown = any(one.severity.is_damage for one in mem.verify(self.anchor()))
            except InvalidInputError:
                # Not even the same store.
                shown = True
        if not shown:
            yield "not even the anchor shows it"

    def harmless(self, found: list[Finding]) -> Iterator[str]:
        """Nothing is called damage, and nothing is gone."""
        if seen := [one for one in found if one.severity.is_damage]:
            yield f"it is called damage: {seen}"
        with opened(self.folder) as mem:
            if self.damage.side is Side.HARMLESS:
                gone = [one for one in mem.verify(self.anchor()) if one.severity.is_damage]
                yield from (f"something is gone: {one}" for one in gone)
            if lost := set(self.sound.says) - set(exported(mem)):
                yield f"the store no longer says {lost}"

    def anchor(self) -> Anchor | str:
        """What the owner kept elsewhere."""
        kept_later = self.folder / ANCHOR
        return kept_later.read_text("utf-8") if kept_later.exists() else self.sound.anchor


def kept(folder: Path) -> list[object]:
    """What nothing else says, row by row, as far as it can be read."""
    found: list[object] = []
    for table, columns in KEPT.items():
        try:
            with raw(folder) as connection:
                found += rows(connection, f"select {columns} from {table} not indexed")
        except (DriverError, StoreError, UnicodeDecodeError) as error:
            found.append(f"{table}: {error}")
    return found


def digest(folder: Path) -> str:
    """The bytes of the database."""
    return hashlib.sha256((folder / DATABASE).read_bytes()).hexdigest()
