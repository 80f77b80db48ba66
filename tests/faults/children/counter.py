"""Count by reading and writing back, beside others who do the same.

`python -m tests.faults.children.counter FOLDER NAME WRITES THREADS` waits for a line on standard
input, so that all begin together.
"""

import sys
import threading
from dataclasses import dataclass, field
from time import monotonic

import lamina
from lamina import Memory
from lamina.errors import ConflictError
from tests.faults.children.work import say

SHARED = "shared"


@dataclass
class Counter:
    """One thread that counts."""

    mem: Memory
    name: str
    waits: list[float] = field(default_factory=list)
    done_at: list[float] = field(default_factory=list)
    conflicts: int = 0

    def count(self, writes: int) -> None:
        """Raise the shared number and a number of its own, so many times each."""
        for _ in range(writes):
            for key in (SHARED, self.name):
                while not self._raise(key):
                    self.conflicts += 1

    def _raise(self, key: str) -> bool:
        record = self.mem.get(key)
        number = record.data["number"] + 1
        start = monotonic()
        try:
            self.mem.edit(record.id, data={"number": number}, expect=record.rev)
        except ConflictError:
            return False
        else:
            self.done_at.append(monotonic())
        finally:
            self.waits.append(monotonic() - start)
        return True


def main() -> None:
    """Count in as many threads as asked, and say how long each commit took."""
    folder, name, writes, threads = sys.argv[1:]
    with lamina.open(folder) as mem:
        counters = [Counter(mem, f"{name}-{number}") for number in range(int(threads))]
        for counter in counters:
            mem.remember("counts", key=counter.name, data={"number": 0})
        say({"ready": name})
        sys.stdin.readline()
        working = [
            threading.Thread(target=_count, args=(counter, int(writes))) for counter in counters
        ]
        for thread in working:
            thread.start()
        for thread in working:
            thread.join()
    for counter in counters:
        say({"name": counter.name, "waits": counter.waits, "done_at": counter.done_at,
             "conflicts": counter.conflicts})  # fmt: skip


def _count(counter: Counter, writes: int) -> None:
    try:
        counter.count(writes)
    except Exception as error:
        say({"error": f"{counter.name}: {error!r}"})


if __name__ == "__main__":
    main()
