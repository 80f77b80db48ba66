"""Work on a store under a clock that jumps, beside others whose clocks jump differently.

`python -m tests.faults.children.clocked FOLDER SEED NUMBER JUMPS ZONE` waits for a line on standard
input, so that all begin together. It looks after every step whether an answer has changed that no
clock may change.
"""

import os
import random
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

import lamina
from lamina import Memory, clock
from lamina.core.ids import RecordId, new_id
from tests.faults.children.work import say

TEN_YEARS = timedelta(days=3652)
HOUR = timedelta(hours=1)
OFFSETS = (timedelta(), HOUR, -HOUR, TEN_YEARS, -TEN_YEARS, TEN_YEARS * 3 // 10, -TEN_YEARS // 2)
"""How far off the clock goes: not at all, by summer time, or by years."""
RIGHT = clock.now
LEASES = 10
LEASE = "lease-"
STEPS = 3
"""Operations after each jump."""


class Jumping:
    """A clock that is off by as much as it was told; ids are drawn under it as well."""

    def __init__(self) -> None:
        self.offset = timedelta()

    def now(self) -> datetime:
        """The time that this process believes it is."""
        return RIGHT() + self.offset

    def fresh_id(self) -> RecordId:
        """An id as the wrong clock would make it."""
        return new_id(int(self.now().timestamp() * 1000), os.urandom(10))


def step(mem: Memory, chance: random.Random, name: str) -> None:
    """Do one thing and say what was acknowledged."""
    key = f"{chance.choice((name, 'shared'))}-{chance.randrange(4)}"
    match chance.randrange(8):
        case 0:
            kept = mem.remember("a new stream", scope=f"user/{name}-{chance.randrange(10**6)}")
        case 1:
            kept = mem.remember("a new lease", expires="30d", tags=["leased"])
        case 2:
            kept = mem.remember_many([{"text": f"{number} of three"} for number in range(3)])
        case 3:
            if pruned := mem.maintain(confirm=True).pruned:
                say({"wrong": f"{pruned} versions were pruned"})
            return
        case _:
            kept = mem.remember(f"{name} says {chance.random()}", key=key)
    say({"kept": [(one.id, one.rev) for one in kept.outcomes]})


def look(mem: Memory) -> None:
    """Say what a clock has changed, if it has."""
    if (left := mem.count({"key": {"$prefix": LEASE}})) != LEASES:
        say({"wrong": f"{LEASES - left} of {LEASES} leases of 30 days have run out"})
    if not mem.recall("lease", k=LEASES, where={"key": {"$prefix": LEASE}}).hits:
        say({"wrong": "recall finds no lease"})
    # The clocks that are believed differ by two hours, so a shorter lease may rightly be over.
    fresh = mem.remember("a moment", expires="3h")
    if not mem.count({"id": fresh.id}):
        say({"wrong": "three hours were over at once"})


def main() -> None:
    """Jump, work, look, and so on."""
    folder, seed, number, jumps, zone = sys.argv[1:]
    os.environ["TZ"] = zone  # noqa: TID251 - a zone of its own is what this process is for
    time.tzset()
    chance = random.Random(f"{seed} {number}")
    jumping = Jumping()
    clock.now, clock.fresh_id = jumping.now, jumping.fresh_id
    with lamina.open(Path(folder)) as mem:
        say({"ready": number})
        sys.stdin.readline()
        for _ in range(int(jumps)):
            jumping.offset = chance.choice(OFFSETS)
            for _ in range(STEPS):
                step(mem, chance, f"child-{number}")
            look(mem if chance.random() < 0.5 else mem.project("elsewhere"))
            say({"jumped": jumping.offset.total_seconds()})


if __name__ == "__main__":
    main()
