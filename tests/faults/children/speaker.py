"""Write in several streams: `python -m tests.faults.children.speaker FOLDER NAME SEED`.

It begins with a line on standard input and ends with the next one.
"""

import random
import sys
import threading
from typing import TYPE_CHECKING

import lamina
from tests.faults.children.work import say

if TYPE_CHECKING:
    from lamina.core.draft import Draft

SCOPES = ("global", "project/web", "project/web/task/t-1", "project/shop", "user/ann")


def main() -> None:
    """Write until told to stop; say how much was acknowledged."""
    folder, name, seed = sys.argv[1:]
    chance = random.Random(f"{name} {seed}")
    written = 0
    with lamina.open(folder) as mem:
        say({"ready": name})
        sys.stdin.readline()
        told = threading.Thread(target=sys.stdin.readline, daemon=True)
        told.start()
        while told.is_alive():
            scope = chance.choice(SCOPES)
            if chance.random() < 0.5:
                drafts: list[Draft] = [
                    {"text": f"{name} {written} {n}", "scope": scope} for n in range(3)
                ]
                receipt = mem.remember_many(drafts)
            else:
                key = f"{name}-{chance.randrange(5)}"
                receipt = mem.remember(f"{name} {written}", key=key, scope=scope)
            written += len(receipt.outcomes)
    say({"written": written})


if __name__ == "__main__":
    main()
