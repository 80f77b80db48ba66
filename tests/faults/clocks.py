"""Processes with wrong clocks share a store: nothing runs out, nothing is purged, order holds.

Each round takes a fresh store with some history. Four processes in four time zones work on it at
once, and the clock of each jumps by hours and years, forwards and back.
"""

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import lamina
from lamina import Memory, clock
from lamina.core import chain
from tests.faults.agreement import complaints, disagreements
from tests.faults.child import Child, Line
from tests.faults.children.clocked import HOUR, LEASE, LEASES
from tests.faults.report import Report, Tell

ZONES = ("UTC0", "JST-9", "PST8PDT,M3.2.0,M11.1.0", "<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45")
JUMPS = 4
"""How often the clock of each process jumps in a round."""
SLACK = timedelta(minutes=10)


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Go through so many rounds; every jump of a clock is a trial."""
    report = Report("clocks", seed, 0)
    offsets: Counter[str] = Counter()
    acknowledged = 0
    for number in range(size):
        place = folder / str(number)
        start = clock.now()
        _prepare(place)
        said = _work(place, seed * 1000 + number)
        found = [line["wrong"] for line in said if "wrong" in line]
        found += _violations(place, said, start)
        report.violations += [f"seed {seed}: round {number}: {line}" for line in found]
        jumped = [str(timedelta(seconds=line["jumped"])) for line in said if "jumped" in line]
        offsets.update(jumped)
        acknowledged += sum("kept" in line for line in said)
        report.trials += len(jumped)
        shutil.rmtree(place)
        tell(number + 1, size)
    report.figures = {"acknowledged": acknowledged, "jumps": dict(sorted(offsets.items()))}
    return report


def _prepare(place: Path) -> None:
    with lamina.open(place) as mem:
        mem.configure("history.knowledge", "1d")
        for _ in range(2):
            mem.remember_many(
                {
                    "text": f"lease {number} of {clock.now()}",
                    "key": f"{LEASE}{number}",
                    "expires": "30d",
                }
                for number in range(LEASES)
            )


def _work(place: Path, seed: int) -> list[Line]:
    children = [
        Child("clocked", str(place), str(seed), str(number), str(JUMPS), zone)
        for number, zone in enumerate(ZONES)
    ]
    for child in children:
        child.wait_until_ready()
    for child in children:
        child.say("go")
    said = [line for child in children for line in child.finish()]
    return said + [{"wrong": child.complaint} for child in children if child.complaint]


def _violations(place: Path, said: Sequence[Line], start: datetime) -> Iterator[str]:
    with lamina.open(place) as mem:
        mem.remember("the clocks are right again")
        yield from _stamped_wrongly(mem, start)
        yield from _out_of_order(mem)
        yield from _lost(mem, said)
        yield from complaints(mem)
    yield from disagreements(place)


def _stamped_wrongly(mem: Memory, start: datetime) -> Iterator[str]:
    earliest, latest = start - HOUR - SLACK, clock.now() + HOUR + SLACK
    for stream in mem.store.streams():
        events = mem.store.events(stream, limit=None)
        yield from (f"{stream}: {broken.reason}" for broken in chain.verify(events))
        for event in events:
            if not earliest <= event.at <= latest:
                yield f"{stream} event {event.seq} is stamped {event.at}"


def _out_of_order(mem: Memory) -> Iterator[str]:
    """Answers go by sequence, whatever the ids and times say."""
    for stream in mem.store.streams():
        events = mem.store.events(stream, limit=None)
        current = [record.id for record in mem.query(limit=10_000, scope=stream)]
        made = [event.record for event in events if event.rev == 1 and event.record in current]
        if current != made[::-1]:
            yield f"{stream} is not listed in the order of its events"


def _lost(mem: Memory, said: Sequence[Line]) -> Iterator[str]:
    known: dict[str, list[int]] = {}
    for line in said:
        for record_id, rev in line.get("kept", ()):
            if record_id not in known:
                history = mem.history(record_id)
                known[record_id] = [one.record.rev for one in history if one.record]
                if known[record_id] != sorted(known[record_id]):
                    yield f"the history of {record_id} is out of order"
            if rev not in known[record_id]:
                yield f"{record_id} rev {rev} was acknowledged and is gone"
