"""Whoever uses a server is stopped: in the middle of a commit, anywhere, or while it follows.

Others go on, if need be when the server has ended the session of the one that was stopped. When
that one is continued, it finds out and goes on as well.
"""

import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from tests.faults.child import Child
from tests.faults.report import Report, Tell
from tests.faults.servers.scene import Scene, scene
from tests.postgres.server import run_sql
from tests.postgres.shared import fresh_address, server

SHORTEST, LONGEST = 0.2, 1.2
LONG = 7.0
"""Longer than the server bears with who holds up others; every so many pauses:"""
PAUSES_PER_LONG = 4
TRIES = 500
_HOLDING = (
    "select count(*) from pg_stat_activity where state = 'idle in transaction'"
    " and application_name = '{name}' and pid in (select pid from pg_locks where locktype ="
    " 'advisory' and mode = 'ExclusiveLock' and granted)"
)


def _in_a_commit(scene: Scene, chance: random.Random, seconds: float) -> None:
    number = chance.randrange(len(scene.scribes))
    scribe = scene.scribes[number]
    for _ in range(TRIES):
        start = monotonic()
        scribe.send(signal.SIGSTOP)
        # What the server is still doing for it comes to an end.
        time.sleep(0.01)
        if _is_holding(scene.name(number)):
            time.sleep(seconds)
            _go_on(scene, number, start)
            return
        _go_on(scene, number, start)
        time.sleep(chance.uniform(0, 0.02))
    raise ChildProcessError("nobody could be stopped in the middle of a commit")


def _is_holding(name: str) -> bool:
    return run_sql(server().superuser(), _HOLDING.format(name=name)) != [(0,)]


def _anywhere(scene: Scene, chance: random.Random, seconds: float) -> None:
    number = chance.randrange(len(scene.scribes))
    start = monotonic()
    scene.scribes[number].send(signal.SIGSTOP)
    time.sleep(seconds)
    _go_on(scene, number, start)


def _go_on(scene: Scene, number: int, since: float) -> None:
    scene.scribes[number].send(signal.SIGCONT)
    scene.absent.setdefault(number, []).append((since, monotonic()))


def _while_it_follows(scene: Scene, chance: random.Random, seconds: float) -> None:
    child = chance.choice(scene.subscribers).child
    assert isinstance(child, Child)
    child.send(signal.SIGSTOP)
    time.sleep(seconds)
    child.send(signal.SIGCONT)


ACTS: dict[str, Callable[[Scene, random.Random, float], None]] = {
    "a scribe in the middle of a commit": _in_a_commit,
    "a scribe anywhere": _anywhere,
    "a subscriber": _while_it_follows,
}


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Stop somebody `size` times."""
    report = Report("server_pauses", seed, size)
    chance = random.Random(seed)
    done: Counter[str] = Counter()
    address = fresh_address(tcp=True)
    with scene(address, address, seed, report, size) as played:
        for number in range(size):
            played.rest(chance.uniform(0, SHORTEST))
            played.swap(chance)
            name = list(ACTS)[number % len(ACTS)]
            long = number % PAUSES_PER_LONG == PAUSES_PER_LONG - 1
            ACTS[name](played, chance, LONG if long else chance.uniform(SHORTEST, LONGEST))
            done[name] += 1
            tell(number + 1, size)
        played.rest(LONGEST)
    report.figures |= {"stopped": dict(done)}
    return report
