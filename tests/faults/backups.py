"""Backups while others write: each is a state that was committed, and comes back as it was."""

import random
import time
from pathlib import Path

import lamina
from lamina import BackupReport, Memory
from lamina.core import canonical
from lamina.core.record import to_json
from tests.faults.agreement import complaints, disagreements
from tests.faults.child import Child
from tests.faults.report import Report, Tell

WRITERS = 4
LONGEST_PAUSE = 0.05


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Back up `size` times under load, then compare each with the log of the store."""
    report = Report("backups", seed, 0)
    chance = random.Random(f"{seed} backups")
    store = folder / "store"
    writers = [
        Child("worker", str(folder), str(seed), str(number), "supersede")
        for number in range(WRITERS)
    ]
    for writer in writers:
        writer.wait_for(lambda line: "did" in line)
    with lamina.open(store) as mem:
        made = []
        for number in range(size):
            time.sleep(chance.uniform(0, LONGEST_PAUSE))
            made.append(mem.backup(folder / f"{number}.backup"))
            tell(number, size)
    for writer in writers:
        writer.finish()
        if writer.complaint:
            report.violations.append(f"seed {seed}: a writer failed: {writer.complaint}")
    with lamina.open(store) as mem:
        for number, backup in enumerate(made):
            wrong = _differences(mem, backup, folder / f"restored-{number}")
            report.violations += [f"seed {seed}: backup {number}: {line}" for line in wrong]
            report.trials += 1
    tell(size, size)
    report.figures = {
        "writers": WRITERS,
        "events_in_first": made[0].events,
        "events_in_last": made[-1].events,
    }
    return report


def _differences(mem: Memory, backup: BackupReport, folder: Path) -> list[str]:
    """What tells a backup, restored elsewhere, from the store as it was at that moment."""
    lamina.restore(backup.file, folder)
    with lamina.open(folder) as copy:
        found = [
            canonical.dumps(to_json(record))
            for stream in copy.store.streams()
            for record in copy.store.walk(copy.reach, stream)
        ]
        wrong = list(complaints(copy))
        chains = {stream: copy.store.events(stream, limit=None) for stream in copy.store.streams()}
    wrong += disagreements(folder)
    expected = []
    for stream, seq, last in backup.heads:
        events = mem.store.events(stream, limit=seq)
        if chains.get(stream) != events or events[-1].hash != last:
            wrong.append(f"the log of {stream} is not the one up to {seq}")
        for record_id, rev in {event.record: event.rev for event in events}.items():
            kept = {version.event.rev: version.record for version in mem.history(record_id)}
            expected += [canonical.dumps(to_json(record)) for record in [kept[rev]] if record]
    if sorted(found) != sorted(expected):
        wrong.append(f"{len(set(found) ^ set(expected))} records differ")
    return wrong
