"""A process that forks while it has a store open, and goes on with it, as its children do.

`python -m tests.faults.children.forker FOLDER SEED STYLE`, where STYLE is one of
`quiet`  nothing else runs at the moment of the fork,
`busy`   threads write and read at that moment,
`orphan` nothing else runs, and the children wait for the end of standard input: the parent dies,
`abrupt` both: threads write at the fork, and the parent dies.
"""

import os
import random
import sys
import threading
import time
from pathlib import Path

import lamina
from lamina import Memory
from tests.faults.children.work import STORE, first_word, say

BUSY = ("busy", "abrupt")
DIES = ("orphan", "abrupt")
CHILDREN = 4
THREADS = 2
WRITES = 8
"""By each thread of each process."""


class Writer:
    """Whoever writes through the handle, told apart by a name."""

    def __init__(self, mem: Memory, name: str) -> None:
        self._mem = mem
        self._name = name

    def write(self, number: int) -> None:
        """Write one thing and read it back."""
        text = f"{self._name}n{number} was written"
        try:
            receipt = self._mem.remember(text, key=f"{self._name}-{number % 3}")
            state = receipt.outcomes[0].state
            assert state is not None
            kept = [(receipt.id, receipt.rev, state.value, first_word(text))]
            say({"did": {"kept": kept}})
            if self._mem.get(receipt.id).text != text:
                say({"error": f"{self._name} does not read what it wrote"})
        except Exception as error:
            say({"error": f"{self._name}: {error!r}"})

    def write_all(self) -> None:
        """Write as often as everyone does."""
        for number in range(WRITES):
            self.write(number)


def start_threads(mem: Memory, name: str) -> list[threading.Thread]:
    """Threads that write through one handle."""
    writers = [Writer(mem, f"{name}t{number}") for number in range(THREADS)]
    threads = [threading.Thread(target=writer.write_all) for writer in writers]
    for thread in threads:
        thread.start()
    return threads


def child(mem: Memory, number: int, style: str) -> None:
    """What a forked process does; each leaves in its own way."""
    if style in DIES:
        sys.stdin.read()
    if number % 4 == 1:
        # Leaves without ever having used the handle, as a child that only computes does.
        sys.exit(0)
    for thread in start_threads(mem, f"child{number}"):
        thread.join()
    match number % 4:
        case 2:
            mem.close()
            os._exit(0)
        case 3:
            os._exit(0)
        case _:
            sys.exit(0)


def main() -> None:
    """Fork, go on, and wait for everyone."""
    folder, seed, style = sys.argv[1:]
    chance = random.Random(f"{seed} {style}")
    mem = lamina.open(Path(folder) / STORE)
    Writer(mem, "parentbefore").write(0)
    threads = start_threads(mem, "parentbusy") if style in BUSY else []
    children = []
    for number in range(CHILDREN):
        time.sleep(chance.uniform(0, 0.01) if style in BUSY else 0)
        pid = os.fork()
        if not pid:
            child(mem, number, style)
        children.append(pid)
    say({"forked": CHILDREN})
    threads += start_threads(mem, "parentafter")
    for thread in threads:
        thread.join()
    if style in DIES:
        # Until it is killed: it goes on, so that it may die in the middle of something.
        writer, number = Writer(mem, "parentlast"), 0
        while True:
            writer.write(number := number + 1)
    for pid in children:
        _, status = os.waitpid(pid, 0)
        if status:
            say({"error": f"a child ended with status {status}"})
    mem.close()


if __name__ == "__main__":
    main()
