"""Eight processes raise one number by reading it and writing it back, and none of them is lost.

Each also raises a number of its own, which nobody contends for. The only error allowed is the
conflict that compare-and-set is for. Then the same with threads in fewer processes.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import lamina
from tests.faults.agreement import all_of, complaints, disagreements
from tests.faults.child import Child, Line
from tests.faults.children.counter import SHARED
from tests.faults.report import Report, Tell

SHAPES = {"8 processes": (8, 1), "4 processes of 4 threads": (4, 4)}
"""Processes, and threads in each of them."""


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Let each of eight processes raise the numbers `size` times."""
    report = Report("writers", seed, 0)
    for done, (name, (processes, threads)) in enumerate(SHAPES.items()):
        writes = size * 8 // (processes * threads)
        place = folder / name.replace(" ", "-")
        counted = _count(place, processes, threads, writes)
        report.trials += 2 * processes * threads * writes
        report.violations += [
            f"seed {seed}: {name}: {line}"
            for line in all_of(_violations(place, counted, processes * threads * writes, writes))
        ]
        report.figures[name] = _figures([line for line in counted if "waits" in line])
        tell(done + 1, len(SHAPES))
    return report


def _count(place: Path, processes: int, threads: int, writes: int) -> list[Line]:
    with lamina.open(place) as mem:
        mem.remember("counts for all", key=SHARED, data={"number": 0})
    children = [
        Child("counter", str(place), f"own-{number}", str(writes), str(threads))
        for number in range(processes)
    ]
    for child in children:
        child.wait_until_ready()
    for child in children:
        child.say("go")
    said = [line for child in children for line in child.finish(600)]
    return said + [{"error": child.complaint} for child in children if child.complaint]


def _violations(place: Path, said: Sequence[Line], total: int, each: int) -> Iterator[str]:
    yield from (line["error"] for line in said if "error" in line)
    with lamina.open(place) as mem:
        numbers = {record.key: record.data["number"] for record in mem.query(limit=1000)}
        if numbers[SHARED] != total:
            yield f"{total} increments were acknowledged and {numbers[SHARED]} counted"
        for line in said:
            if "name" in line and numbers[line["name"]] != each:
                yield f"{line['name']} counted to {numbers[line['name']]} instead of {each}"
        yield from complaints(mem)
    yield from disagreements(place)


def _figures(counters: Sequence[Line]) -> dict[str, Any]:
    if not counters:
        return {}
    waits = {line["name"]: sorted(line["waits"]) for line in counters}
    overall = sorted(wait for one in waits.values() for wait in one)
    # While all of them were at work: before the first was through.
    end = min(line["done_at"][-1] for line in counters if line["done_at"])
    shares = [sum(at <= end for at in line["done_at"]) for line in counters]
    return {
        "commits": sum(len(line["done_at"]) for line in counters),
        "conflicts": sum(line["conflicts"] for line in counters),
        "p50_ms": _ms(_percentile(overall, 50)),
        "p99_ms": _ms(_percentile(overall, 99)),
        "worst_wait_ms": _ms(overall[-1]),
        "worst_wait_ms_each": [_ms(one[-1]) for one in waits.values()],
        "p99_ms_each": [_ms(_percentile(one, 99)) for one in waits.values()],
        "commits_while_all_worked": shares,
    }


def _percentile(ordered: Sequence[float], percent: int) -> float:
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 2)
