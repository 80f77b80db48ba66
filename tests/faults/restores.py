"""A backup or a restore is killed at every step and at random moments.

Whatever the moment, the old store is there or the new one, whole; a backup is whole or absent; and
what was erased is nowhere in what a restore made.
"""

import json
import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import lamina
from lamina.exchange import export_lines
from lamina.stores.sqlite import DATABASE, STAGING, archive
from tests.faults.agreement import complaints, disagreements
from tests.faults.child import Child
from tests.faults.report import Report, Tell

KINDS = ("replace", "fresh", "replace", "backup")
"""Restores over a store, into an empty folder, and backups; replacing has the most steps."""
CANARY = "cormorant-lagoon-canary"


@dataclass
class Scene:
    """What every trial begins with, and what it may end with."""

    folder: Path
    old: list[str]
    new: list[str]
    steps: dict[str, int]
    seconds: dict[str, float]


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Kill `size` times: half at steps, from the last one back, half at random moments."""
    report = Report("restores", seed, 0)
    chance = random.Random(f"{seed} restores")
    outcomes: Counter[str] = Counter()
    child = Child("restorer")
    child.wait_until_ready()
    scene = _scene(folder / "scene", child)
    steps = {kind: cycle(range(most, 0, -1)) for kind, most in scene.steps.items()}
    for number in range(size):
        kind = KINDS[number % len(KINDS)]
        when: dict[str, Any] = (
            {"step": next(steps[kind])}
            if number // len(KINDS) % 2
            else {"seconds": chance.uniform(0, 1.1 * scene.seconds[kind])}
        )
        place = folder / str(number)
        outcome, wrong = _trial(kind, when, place, scene, child)
        outcomes[f"{kind}: {outcome}"] += 1
        report.violations += [f"seed {seed}: kill {number} ({kind}, {when}): {w}" for w in wrong]
        report.trials += 1
        shutil.rmtree(place)
        tell(number + 1, size)
    child.finish()
    report.figures = {"steps": scene.steps, "outcomes": dict(sorted(outcomes.items()))}
    return report


def _scene(folder: Path, child: Child) -> Scene:
    """A store with a log beside it that moved on since its backup, and what erasing left of it."""
    folder.mkdir()
    with lamina.open(folder / "work") as mem:
        for number in range(30):
            mem.remember(f"note {number} " * (1 + number), key=f"key-{number % 20}")
        mem.remember(CANARY, key="canary")
        mem.backup(folder / "backup")
        mem.erase("canary")
        mem.remember_many([{"text": f"written since {number}"} for number in range(20)])
        # From outside, with its log: this process holds locks that reading the file would drop.
        subprocess.run(["cp", "-r", folder / "work", folder / "old"], check=True)
        old = list(export_lines(mem, history=True))
    scene = Scene(folder, old, [], {}, {})
    for kind in dict.fromkeys(KINDS):
        order = _order(kind, folder / f"whole-{kind}", scene)
        answer = _ask(child, order)
        assert answer["error"] is None, answer
        scene.steps[kind], scene.seconds[kind] = answer["steps"], answer["seconds"]
    scene.new = _said(folder / "whole-replace" / "store")
    assert scene.new != scene.old
    return scene


def _order(kind: str, place: Path, scene: Scene) -> dict[str, Any]:
    place.mkdir()
    if kind == "fresh":
        (place / "store").mkdir()
        shutil.copy(scene.folder / "old" / "erased.jsonl", place / "store")
    else:
        shutil.copytree(scene.folder / "old", place / "store")
    backup = place / "backup" if kind == "backup" else scene.folder / "backup"
    what = "backup" if kind == "backup" else "restore"
    return {"what": what, "store": str(place / "store"), "backup": str(backup)}


def _ask(child: Child, order: dict[str, Any]) -> dict[str, Any]:
    heard = len(child.lines)
    child.say(json.dumps(order))
    answer = child.wait_for(lambda line: len(child.lines) > heard)
    if answer is None:
        raise ChildProcessError(f"the child is gone: {child.complaint}")
    return child.lines[heard]


def _trial(
    kind: str, when: dict[str, Any], place: Path, scene: Scene, child: Child
) -> tuple[str, list[str]]:
    answer = _ask(child, {**_order(kind, place, scene), **when})
    wrong = [f"it failed by itself: {answer['error']}"] if answer.get("error") else []
    if kind == "replace" and not (place / "store" / DATABASE).exists():
        wrong.append("there is no store")
    check = _backup_violations if kind == "backup" else _store_violations
    wrong += check(place, scene)
    outcome = _outcome(kind, place, scene)
    if kind == "replace" and outcome == "new" and not _replaced(place):
        wrong.append("the old store is not kept")
    return ("killed, " if answer["killed"] else "done, ") + outcome, wrong


def _outcome(kind: str, place: Path, scene: Scene) -> str:
    if kind == "backup":
        return "whole" if (place / "backup").exists() else "absent"
    if not (place / "store" / DATABASE).exists():
        return "absent"
    return "new" if _said(place / "store") == scene.new else "old"


def _said(store: Path) -> list[str]:
    with lamina.open(store) as mem:
        return list(export_lines(mem, history=True))


def _store_violations(place: Path, scene: Scene) -> Iterator[str]:
    store = place / "store"
    if not (store / DATABASE).exists():
        return
    with lamina.open(store) as mem:
        said = list(export_lines(mem, history=True))
        yield from complaints(mem)
    yield from disagreements(store)
    replaced = _replaced(place)
    if said not in (scene.old, scene.new):
        yield "it is neither the old store nor the new one"
    if said == scene.old and replaced:
        yield f"the old store is there and {[path.name for path in replaced]} as well"
    if (store / STAGING).exists():
        yield "what it was made from is still there"
    yield from (
        f"{path.name} holds what was erased"
        for path in store.rglob("*")
        if path.is_file() and CANARY.encode() in path.read_bytes()
    )
    yield from _kept_violations(place, replaced, scene)


def _replaced(place: Path) -> list[Path]:
    return list((place / "store").glob(f"{DATABASE}.replaced-*"))


def _kept_violations(place: Path, replaced: list[Path], scene: Scene) -> Iterator[str]:
    """Whether the store that was replaced is kept, whole and in one file."""
    for path in replaced:
        kept = place / "kept"
        kept.mkdir()
        shutil.copy(path, kept / DATABASE)
        if _said(kept) != scene.old:
            yield f"{path.name} is not the old store"
        shutil.rmtree(kept)


def _backup_violations(place: Path, scene: Scene) -> Iterator[str]:
    if _said(place / "store") != scene.old:
        yield "the store that was backed up changed"
    if not (place / "backup").exists():
        return
    archive.read(place / "backup")
    lamina.restore(place / "backup", place / "restored")
    if _said(place / "restored") != scene.old:
        yield "the backup is not the store"
