"""A process is killed while it ends tasks: each task has ended whole, or not at all."""

import random
import subprocess
import sys
import time
from pathlib import Path

import lamina
from lamina import Memory
from lamina.stores.combined.store import CombinedStore

TASKS, NOTES, KILLS = 24, 20, 4
SETTLES_WITHIN = 20.0
WHOLE = frozenset((("active", NOTES, 0, 0), ("done", 0, NOTES, 3)))
ENDING = """
import sys, lamina
finn = lamina.open(sys.argv[1]).agent("finn", project="web")
for task in finn.task.query(status="active"):
    finn.task.move(task.key, "done")
    print(task.key, flush=True)
"""


def filled(folder: Path) -> None:
    with lamina.open(folder) as whole:
        whole.configure("recall.embedder", "off")
        finn = whole.agent("finn", project="web")
        for number in range(TASKS):
            finn.task.add(f"t-{number}", "work")
            finn.task.move(f"t-{number}", "active")
            scope = f"project/web/agent/finn/task/t-{number}"
            finn.remember_many(
                {"text": f"t-{number} note {n}", "layer": "notebook", "scope": scope,
                 "data": {"promote": "fact"} if n < 3 else {}}
                for n in range(NOTES)
            )  # fmt: skip


def killed(folder: Path, lines: int, delay: float) -> list[str]:
    """The tasks that a process acknowledged before it was killed."""
    with subprocess.Popen(
        [sys.executable, "-c", ENDING, str(folder)], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        told = [child.stdout.readline().strip() for _ in range(lines)]
        # Not to wait for anything: it dies at whatever it is doing by then.
        time.sleep(delay)
        child.kill()
        return [name for name in (*told, *child.stdout.read().split()) if name]


def standing(finn: Memory, task: str) -> tuple[str, int, int, int]:
    book = finn.notebook(task)
    known = [one for one in finn.knowledge.query(limit=1_000) if one.text.startswith(f"{task} ")]
    status = str(finn.task.get(task).data["status"])
    return status, len(book.read()), len(book.read(archived=True)), len(known)


def settled(finn: Memory, task: str) -> tuple[str, int, int, int]:
    """How it stands; where it is in two stores, once the second half was brought to its end.

    What is held between the halves is left to whoever holds it for a second.
    """
    found, deadline = standing(finn, task), time.monotonic() + SETTLES_WITHIN
    while isinstance(finn.store, CombinedStore) and found not in WHOLE:
        assert time.monotonic() < deadline, found
        time.sleep(0.1)
        found = standing(finn, task)
    return found


def test_a_task_that_is_killed_while_it_ends_has_ended_whole_or_not(tmp_path: Path) -> None:
    dice, done = random.Random(5), set[str]()
    filled(tmp_path / "store")
    for _ in range(KILLS):
        done |= set(killed(tmp_path / "store", dice.randint(1, 4), dice.random() / 50))
        with lamina.open(tmp_path / "store") as whole:
            finn, ended = whole.agent("finn", project="web"), set[str]()
            for number in range(TASKS):
                found = settled(finn, f"t-{number}")
                assert found in WHOLE, number
                ended |= {f"t-{number}"} if found[0] == "done" else set()
        assert done <= ended
    assert len(done) >= KILLS
