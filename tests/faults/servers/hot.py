"""The Redis that keeps the hot layers of a store fails, in every way that it and the way to it can.

It is killed and started again, also between the two halves of a commit; connections are reset,
stalled and refused, requests and answers get lost, and so do messages, or they come twice or late.
Whoever writes is killed between the two halves. A quarter of it befalls a server that loses its
memory each time: what it was promised to lose is gone, everybody is told, and nothing else.
"""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.faults.children.work import AND_HOT
from tests.faults.report import Report, Tell
from tests.faults.servers.cuts import (
    FAULTS_PER_LONG,
    LASTING,
    LONG,
    LONGEST,
    OF_ANY_LINE,
    SHORTEST,
    lose,
    until_sprung,
)
from tests.faults.servers.hot_scene import HotScene
from tests.faults.servers.scene import playing
from tests.postgres.proxy import Proxy
from tests.postgres.server import free_port
from tests.redis import RedisServer
from tests.scratch import scratch_folder

FORGETS_ONE_IN = 4
_COMMIT, _HALF = b'"steps"', b"\r\nfinish\r\n"
"""What every commit says, and what is said between the two halves of one."""


@dataclass
class Stage:
    """A server, the way to it, and those who use it."""

    server: RedisServer
    proxy: Proxy
    played: HotScene

    def kill(self, seconds: float) -> None:
        """Kill the server, and start it again."""
        self.server.kill()
        time.sleep(seconds)
        self.server.start()

    def kill_between_halves(self, seconds: float) -> None:
        """The same when it is about to hear of the second half of a commit."""
        self._stop_between_halves()
        self.server.kill()
        self._let_go()
        time.sleep(seconds)
        self.server.start()

    def kill_writers_between_halves(self, seconds: float) -> None:
        """Everybody who writes dies, one of them in the middle of a commit over both stores."""
        self._stop_between_halves()
        self.played.kill_scribes()
        self._let_go()
        self.played.start_scribes()

    def empty(self, seconds: float) -> None:
        """Take its memory away while it runs."""
        with self.server.client() as client:
            client.flushall()

    def retell(self, how: Callable[[bytes], bytes], seconds: float) -> None:
        """Do something to its messages for a while."""
        self.proxy.retell(lambda said: how(said) if b"message\r\n" in said[:20] else said)
        time.sleep(seconds)
        self.proxy.flow()

    def _stop_between_halves(self) -> None:
        self.proxy.trap(_HALF)
        until_sprung(self.proxy)

    def _let_go(self) -> None:
        self.proxy.cut()
        self.proxy.flow()


Act = Callable[[Stage, float], None]


def _by_line(act: Callable[[Proxy, float], None]) -> Act:
    return lambda stage, seconds: act(stage.proxy, seconds)


def _losing(word: bytes, *, heard: bool) -> Act:
    return lambda stage, _: lose(stage.proxy, word, heard=heard)


def _retold(how: Callable[[bytes], bytes]) -> Act:
    return lambda stage, seconds: stage.retell(how, seconds)


def _late(said: bytes) -> bytes:
    time.sleep(LONGEST)
    return said


ACTS: dict[str, Act] = {
    "server killed": Stage.kill,
    "server killed between halves": Stage.kill_between_halves,
    "writers killed between halves": Stage.kill_writers_between_halves,
    "answer to a half lost": _losing(_HALF, heard=True),
    "messages lost": _retold(lambda said: b""),
    "reset": _by_line(OF_ANY_LINE["reset"]),
    "answer to a commit lost": _losing(_COMMIT, heard=True),
    "half of a commit lost": _losing(_HALF, heard=False),
    "commit lost": _losing(_COMMIT, heard=False),
    "messages twice": _retold(lambda said: 2 * said),
    "messages late": _retold(_late),
    **{name: _by_line(act) for name, act in OF_ANY_LINE.items()},
}
FORGETTING: dict[str, Act] = {
    "memory lost": Stage.kill,
    "memory lost between halves": Stage.kill_between_halves,
    "memory emptied": Stage.empty,
}
KEPT = ("--appendonly", "yes", "--appendfsync", "always")


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Have `size` outages."""
    report = Report("hot_outages", seed, size)
    kept = size - size // FORGETS_ONE_IN
    for acts, numbers in ((ACTS, range(kept)), (FORGETTING, range(kept, size))):
        part = Report(report.fault, seed, size)
        forgets = acts is FORGETTING
        with _stage(folder / f"forgets-{forgets}", part, forgets=forgets) as stage:
            done = _play(stage, acts, numbers, tell)
        name = "forgets" if forgets else "keeps"
        report.violations += [f"{line} (where the server {name})" for line in part.violations]
        report.figures |= {name: {**part.figures, "outages": dict(done)}}
    return report


@contextmanager
def _stage(folder: Path, report: Report, *, forgets: bool) -> Iterator[Stage]:
    with scratch_folder() as place:
        server = RedisServer(place, *(() if forgets else KEPT), port=free_port()).start()
        proxy = Proxy(server.port)
        straight, through = (
            f"{folder}{AND_HOT}redis://127.0.0.1:{port}/0" for port in (server.port, proxy.port)
        )
        scene = HotScene(straight, through, report.seed, report.trials, forgets=forgets)
        try:
            with playing(scene, report):
                yield Stage(server, proxy, scene)
        finally:
            proxy.end()
            server.kill()


def _play(stage: Stage, acts: dict[str, Act], numbers: range, tell: Tell) -> Counter[str]:
    played, done = stage.played, Counter[str]()
    chance = random.Random(f"{played.seed} {numbers}")
    for number in numbers:
        played.rest(chance.uniform(SHORTEST, LONGEST))
        played.swap(chance)
        name, seconds = list(acts)[number % len(acts)], chance.uniform(SHORTEST, LONGEST)
        if acts is ACTS and number % FAULTS_PER_LONG == FAULTS_PER_LONG - 1:
            name, seconds = LASTING[number // FAULTS_PER_LONG % len(LASTING)], LONG
        acts[name](stage, seconds)
        done[name] += 1
        played.is_back(name, wait=bool(number % 2))
        tell(number + 1, played.size)
    played.rest(LONGEST)
    return done
