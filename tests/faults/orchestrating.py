"""Processes that run a graph of tasks are killed, again and again, until all of it has ended.

Every task ends once, every attempt has one beginning and one end, no approach is tried again that
had failed, and nothing that a worker finished and was told is done gets lost. Now and then two or
three processes are at it at once, and are killed one after the other while the rest go on.
"""

import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import lamina
from lamina import Memory, leasing
from lamina.core.record import Record
from lamina.errors import BusyError
from lamina.layers.tasks import Status, awaited, status_of
from tests.faults.agreement import complaints
from tests.faults.child import Child
from tests.faults.children.orchestrating import GOOD, RETRY, WITNESS, fate, graph_of
from tests.faults.report import Report, Tell

TASKS, FEW = 50, 6
SMALL = 10
"""Below so many kills a small graph will do."""
MOST_EVENTS, LATEST = 5, 0.05
"""A process is killed so many events after its start, and a moment later."""
ENDS = ("completed", "failed", "retried")


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Kill `size` times; a graph that comes to its end makes room for another."""
    report = Report("orchestrator", seed, 0)
    chance = random.Random(f"{seed} orchestrator")
    tasks = TASKS if size >= SMALL else FEW
    totals: Counter[str] = Counter()
    while report.trials < size:
        number = totals["graphs"]
        place = folder / f"graph-{number}"
        place.mkdir()
        name = f"{seed}-{number}"
        wrong: list[str] = []
        while report.trials < size and not _killed(place, name, tasks, chance, wrong):
            report.trials += 1
            tell(report.trials, size)
        last = Child("orchestrating", str(place), name, str(tasks))
        said = last.finish()
        wrong += [last.complaint] if last.complaint else []
        wrong += _wrong(place, name, tasks, totals)
        wrong += [] if said and said[-1].get("waiting") == {} else [f"it ended with {said[-1:]}"]
        report.violations += [f"seed {seed}: graph {number}: {line}" for line in wrong]
        totals["graphs"] += 1
    report.figures = {"tasks_per_graph": tasks, **totals}
    return report


def _killed(place: Path, name: str, tasks: int, chance: random.Random, wrong: list[str]) -> bool:
    """Let processes work and kill one after the other; whether one was done before."""
    together = chance.choices((1, 2, 3), (8, 1, 1))[0]
    children = [Child("orchestrating", str(place), name, str(tasks)) for _ in range(together)]
    for child in children:
        child.wait_until_ready()
    for child in children:
        # Those that are left go on, with what this one leaves as well.
        _let_work(child, len(child.lines) + chance.randint(0, MOST_EVENTS))
        time.sleep(chance.uniform(0, LATEST))
        child.kill()
        wrong += [f"it broke off: {child.complaint}"] if not _is_well(child) else []
    return any("done" in line for child in children for line in child.lines)


def _let_work(child: Child, events: int) -> None:
    child.wait_for(lambda line: "done" in line or line.get("event", 0) >= events)


def _is_well(child: Child) -> bool:
    return child.was_killed or "done" in child.lines[-1]


def _wrong(place: Path, seed: str, tasks: int, totals: Counter[str]) -> list[str]:
    with lamina.open(place / "store") as mem:
        web = mem.project("web")
        episodes = list(reversed(web.query({"layer": "episode"}, limit=10_000)))
        totals.update(f"episodes {one.kind}" for one in episodes)
        totals["interrupted"] += sum(one.data.get("why") == "interrupted" for one in episodes)
        found = [*_statuses(web, seed, tasks), *_attempts(episodes), *_approaches(episodes)]
        found += [*_endings(web, mem, episodes), *_witnessed(place, episodes), *complaints(mem)]
        return [*found, *_held(web)]


def _held(web: Memory) -> Iterator[str]:
    """A lease of a process that died between an end and its release is there, but free."""
    for one in web.query({"layer": "blackboard", "kind": "lease"}):
        name = str(one.key).removeprefix("lease:")
        try:
            leasing.take(web, name, scope=web.scope).release()
        except BusyError:
            yield f"the lease of {name} is held by nobody and not free"


def _statuses(web: Memory, seed: str, tasks: int) -> Iterator[str]:
    """Each task stands as its approaches and what it waits for decide."""
    found = {str(one.key): one for one in web.task.query(limit=10_000)}
    expected: dict[str, Status] = {}
    for one in graph_of(seed, tasks).tasks:
        fates = {fate(seed, one.name, way) for way in one.data["approaches"]}
        before = {expected[name] for name in one.after}
        ends = Status.DONE if GOOD in fates else Status.DROPPED
        expected[one.name] = Status.BLOCKED if before - {Status.DONE} else ends
    for name, status in expected.items():
        task = found.pop(name, None)
        if task is None:
            yield f"{name} is lost"
        elif status_of(task) is not status:
            yield f"{name} is {status_of(task).value}, not {status.value}: {task.data}"
        elif task.data.get("attempt"):
            yield f"{name} has an attempt that never ended"
    yield from (f"{name} is there, and nobody asked for it" for name in found)


def _attempts(episodes: list[Record]) -> Iterator[str]:
    """One beginning and one end for each attempt."""
    begun = Counter(one.data["attempt"] for one in episodes if one.kind == "attempted")
    ended = Counter(one.data["attempt"] for one in episodes if one.kind in ENDS)
    for attempt in begun.keys() | ended.keys():
        if (begun[attempt], ended[attempt]) != (1, 1):
            task = next(one.data["task"] for one in episodes if one.data["attempt"] == attempt)
            yield f"an attempt at {task} has {begun[attempt]} beginnings and {ended[attempt]} ends"


def _approaches(episodes: list[Record]) -> Iterator[str]:
    """Nothing is tried again that had failed; what may pass is tried so often and no more."""
    failed: set[tuple[str, str]] = set()
    passing: Counter[tuple[str, str]] = Counter()
    for one in episodes:
        what = one.data["task"], one.data["approach"]
        if one.kind == "attempted" and what in failed:
            yield f"{what[0]}: {what[1]} was tried again though it had failed"
        if one.kind == "failed":
            failed.add(what)
        passing[what] += one.data.get("why") == "transient"
    yield from (f"{what} was retried {n} times" for what, n in passing.items() if n > RETRY)


def _endings(web: Memory, mem: Memory, episodes: list[Record]) -> Iterator[str]:
    """A task is done once, with one episode, its artifact, and after those it waits for."""
    completed = Counter(one.data["task"] for one in episodes if one.kind == "completed")
    for task in web.task.query(limit=10_000):
        name, is_done = str(task.key), status_of(task) is Status.DONE
        became = [one.record for one in mem.history(task.id)]
        times = sum(
            after is not None and before is not None
            and (status_of(before), status_of(after)) == (Status.ACTIVE, Status.DONE)
            for before, after in zip(became, became[1:], strict=False)
        )  # fmt: skip
        if (times, completed[name]) != (is_done, is_done):
            yield f"{name} was done {times} times and has {completed[name]} episodes of that"
        if is_done and len(web.artifact.query(task=name)) != 1:
            yield f"{name} is done and its artifact is not there"
        given = {one["task"] for one in task.data.get("inputs", {}).get("artifacts", ())}
        if is_done and given != {*awaited(task)}:
            yield f"{name} was given artifacts of {given}, not of {awaited(task)}"


def _witnessed(place: Path, episodes: list[Record]) -> Iterator[str]:
    """What workers saw themselves do agrees with what is told."""
    lines = [json.loads(line) for line in (place / WITNESS).read_text().splitlines()]
    known = {one.data["attempt"] for one in episodes if one.kind == "attempted"}
    finished = {line["attempt"] for line in lines if line["what"] == "finished"}
    yield from (f"{line['task']} was worked on and no episode says so" for line in lines
                if line["attempt"] not in known)  # fmt: skip
    yield from (f"{one.data['task']} is told to be done, and no worker finished it"
                for one in episodes if one.kind == "completed"
                and one.data["attempt"] not in finished)  # fmt: skip
