"""The network between a store and its server fails, in every way that a network does.

All who take part go through a relay of ours, which resets connections, loses what was said or the
answers alone, keeps everything back for a while, or lets nobody in.
"""

import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from tests.faults.report import Report, Tell
from tests.faults.servers.alone import answers_lost
from tests.faults.servers.scene import STUCK, scene
from tests.postgres.proxy import Proxy, proxied
from tests.postgres.shared import fresh_address

SHORTEST, LONGEST = 0.02, 0.4
"""Seconds for which all is well between two faults, and for which most faults last."""
LONG = 12.0
"""Longer than anybody waits for an answer; every so many faults:"""
FAULTS_PER_LONG = 40
_COMMIT = b"commit\0"


def _reset(proxy: Proxy, seconds: float) -> None:
    proxy.cut()


def _delay(proxy: Proxy, seconds: float) -> None:
    proxy.stall()
    time.sleep(seconds)
    proxy.flow()


def _drop(proxy: Proxy, seconds: float) -> None:
    proxy.stall()
    time.sleep(seconds)
    proxy.cut()
    proxy.flow()


def _lose_the_answers(proxy: Proxy, seconds: float) -> None:
    proxy.deafen()
    time.sleep(seconds)
    # In this order: nobody who has lost an answer keeps the connection.
    proxy.flow()
    proxy.cut()


def _let_nobody_in(proxy: Proxy, seconds: float) -> None:
    proxy.refuse()
    time.sleep(seconds)
    proxy.accept()


def _lose_a_commit(proxy: Proxy, seconds: float) -> None:
    lose(proxy, _COMMIT, heard=False)


def _lose_the_answer_to_a_commit(proxy: Proxy, seconds: float) -> None:
    lose(proxy, _COMMIT, heard=True)


def lose(proxy: Proxy, word: bytes, *, heard: bool) -> None:
    """Have the connection end of the next who says a word."""
    proxy.ambush(word, heard=heard)
    until_sprung(proxy)


def until_sprung(proxy: Proxy) -> None:
    """Wait for whoever comes by."""
    deadline = monotonic() + STUCK
    while not proxy.is_sprung:
        if monotonic() > deadline:
            raise ChildProcessError("nobody commits any more")
        time.sleep(0.005)


OF_ANY_LINE: dict[str, Callable[[Proxy, float], None]] = {
    "reset": _reset,
    "answers lost": _lose_the_answers,
    "delay": _delay,
    "drop": _drop,
    "nobody let in": _let_nobody_in,
}
"""What befalls a network, whoever uses it."""
ACTS: dict[str, Callable[[Proxy, float], None]] = {
    **OF_ANY_LINE,
    "commit lost": _lose_a_commit,
    "answer to a commit lost": _lose_the_answer_to_a_commit,
}
LASTING = ("answers lost", "delay", "drop")
"""Those that also come in a length that nobody waits for."""


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Have `size` faults."""
    report = Report("server_cuts", seed, size)
    chance = random.Random(seed)
    done: Counter[str] = Counter()
    address = fresh_address(tcp=True)
    with proxied(fresh_address(tcp=True)) as (proxy, through):
        report.violations += [f"seed {seed}: {line}" for line in answers_lost(proxy, through)]
    with (
        proxied(address) as (proxy, through),
        scene(address, through, seed, report, size) as played,
    ):
        for number in range(size):
            played.rest(chance.uniform(SHORTEST, LONGEST))
            played.swap(chance)
            name, seconds = list(ACTS)[number % len(ACTS)], chance.uniform(SHORTEST, LONGEST)
            if number % FAULTS_PER_LONG == FAULTS_PER_LONG - 1:
                name, seconds = LASTING[number // FAULTS_PER_LONG % len(LASTING)], LONG
            ACTS[name](proxy, seconds)
            done[name] += 1
            tell(number + 1, size)
        played.rest(LONGEST)
    report.figures |= {"connections": proxy.connections, "faults": dict(done)}
    return report
