"""Repeat one operation until killed, or until standard input ends.

`python -m tests.faults.children.worker FOLDER SEED NUMBER OPERATION`
"""

import select
import sys
import tempfile
from pathlib import Path

import lamina
from tests.faults.children.operations import OPERATIONS
from tests.faults.children.work import Work, say

WITHOUT_A_STORE = ("open", "migrate")


def main() -> None:
    """Say when the work begins; a caller that wants an end closes standard input."""
    folder, seed, number, name = sys.argv[1:]
    work = Work(Path(folder), int(seed), int(number))
    with tempfile.TemporaryDirectory() as elsewhere, lamina.open(elsewhere) as mem:
        mem.remember("loads what is only imported when it is needed")
    if name not in WITHOUT_A_STORE:
        work.mem.count()
    say({"ready": name})
    while not select.select([sys.stdin], [], [], 0)[0]:
        OPERATIONS[name](work)


if __name__ == "__main__":
    main()
