"""A server is killed again and again: its first process, or everything that it consists of.

It syncs what it acknowledges, as servers do. Nobody who uses it is told; they find out.
"""

import random
import time
from pathlib import Path

from tests.faults.report import Report, Tell
from tests.faults.servers.scene import Scene, scene
from tests.postgres.server import Server
from tests.postgres.shared import own_server

SHORTEST, LONGEST = 0.2, 1.0
"""Seconds for which the server runs, and for which it stays away."""
LONGEST_AWAY = 0.5


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Kill it `size` times."""
    report = Report("server_kills", seed, size)
    with own_server() as server:
        address = server.place.address("faults", tcp=True)
        with scene(address, address, seed, report, size) as played:
            _kill(server, played, random.Random(seed), tell)
    return report


def _kill(server: Server, played: Scene, chance: random.Random, tell: Tell) -> None:
    for number in range(played.size):
        played.rest(chance.uniform(SHORTEST, LONGEST))
        played.swap(chance)
        server.kill(whole=bool(number % 2))
        time.sleep(chance.uniform(0, LONGEST_AWAY))
        server.start()
        tell(number + 1, played.size)
    played.rest(LONGEST)
