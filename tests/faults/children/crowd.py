"""Many processes that open one directory at the same moment.

`python -m tests.faults.children.crowd FOLDER NUMBER` forks them from one process that has loaded
everything, and lets them go together by closing a pipe. Each says what became of it.
"""

import os
import sys
import tempfile
from pathlib import Path

import lamina
from tests.faults.children.work import say


def main() -> None:
    """Fork the crowd, let it go and wait for everyone."""
    folder, number = Path(sys.argv[1]), int(sys.argv[2])
    # What is imported at first use would otherwise be loaded by each of them.
    with tempfile.TemporaryDirectory() as elsewhere, lamina.open(elsewhere) as mem:
        mem.remember("loads what writing needs")
    gate, opener = os.pipe()
    children = []
    for name in range(number):
        child = os.fork()
        if not child:
            os.close(opener)
            os.read(gate, 1)
            _one(folder, name)
        children.append(child)
    say({"ready": number})
    os.close(opener)
    for child in children:
        os.waitpid(child, 0)


def _one(folder: Path, name: int) -> None:
    try:
        with lamina.open(folder) as mem:
            receipt = mem.remember(f"number {name} was here", data={"name": name})
            identity = mem.store.settings().get("identity")
        say({"kept": receipt.id, "name": name, "identity": identity})
    except BaseException as error:
        say({"error": f"number {name}: {error!r}"})
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
