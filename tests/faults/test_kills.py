"""A writer is killed at a random moment; whatever it acknowledged must be there, and whole."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import lamina
from lamina.core.ids import RecordId
from lamina.stores.base import Severity

KILLS = int(os.environ.get("LAMINA_KILLS", "8"))  # noqa: TID251  # how long to go on is the caller's
WRITER = """
import random, sys, lamina
mem, rng = lamina.open(sys.argv[1]), random.Random(int(sys.argv[2]))
names = [f"key-{n}" for n in range(20)]
while True:
    name = rng.choice(names)
    match rng.randrange(6):
        case 0:
            kept = mem.remember_many([{"text": f"note {rng.random()}"} for _ in range(5)])
        case 1 if mem.count({"key": name}):
            kept = mem.forget(mem.get(name).id)
        case 2 if mem.count({"key": name}):
            gone = mem.get(name).id
            mem.erase(gone)
            print("erased", gone, flush=True)
            continue
        case _:
            kept = mem.remember(f"value {rng.random()} " * rng.randrange(1, 40), key=name)
    for one in kept.outcomes:
        print("kept", one.id, one.rev, flush=True)
"""


def run_and_kill(folder: Path, seed: int) -> list[list[str]]:
    """What a writer had acknowledged when it was killed."""
    child = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), str(seed)], stdout=subprocess.PIPE, text=True
    )
    time.sleep(random.Random(seed).uniform(0.1, 0.6))
    child.kill()
    said, _ = child.communicate()
    # A line without its end was still being said when the process died.
    return [line.split() for line in said.split("\n")[:-1]]


def test_nothing_acknowledged_is_lost_when_a_writer_is_killed(tmp_path: Path) -> None:
    acknowledged = 0
    newest: dict[str, int] = {}
    erased: set[str] = set()
    for seed in range(KILLS):
        for verb, record_id, *rev in run_and_kill(tmp_path, seed):
            acknowledged += 1
            if verb == "erased":
                erased.add(record_id)
            else:
                newest[record_id] = int(rev[0])
        with lamina.open(tmp_path) as mem:
            found = {finding.severity for finding in mem.store.check()}
            assert found == {Severity.OK}, f"seed {seed}"
            for record_id, revision in newest.items():
                versions = mem.history(record_id)
                revs = [version.event.rev for version in versions]
                assert revision in revs, f"seed {seed}: {record_id} rev {revision} was lost"
            for record_id in erased:
                assert mem.store.get(mem.reach, [RecordId(record_id)]) == [], f"seed {seed}"
    print(f"{KILLS} kills, {acknowledged} acknowledged writes, 0 lost")
