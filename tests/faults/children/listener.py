"""Follow the feed: `python -m tests.faults.children.listener FOLDER SECONDS [CURSOR]`.

It says every change with the cursor behind it, and ends when nothing happens for so many seconds,
or when somebody writes that it is the end. Where the store fails and may recover, it says so and
goes on from its cursor, with the same handle.
"""

import sys
import time

import lamina
from lamina import Memory
from lamina.errors import LaminaError
from tests.faults.children.work import say

END = "this is the end"
NAP = 0.1
"""Before it is tried again."""


class Listener:
    """One that goes on from where it was."""

    def __init__(self, mem: Memory, after: str | None) -> None:
        self._mem = mem
        self._after = after

    def follow(self, patience: float) -> None:
        """Say each change as soon as it is heard."""
        for change in self._mem.changes(self._after, follow=True, timeout=patience):
            event, self._after = change.event, change.cursor
            text = change.record.text if change.record else None
            say({"stream": event.stream, "seq": event.seq, "cursor": change.cursor, "text": text})
            if text == END:
                return


def main() -> None:
    """Follow, however often it is interrupted."""
    folder, patience, *cursor = sys.argv[1:]
    with _opened(folder) as mem:
        listener = Listener(mem, cursor[0] if cursor else None)
        say({"ready": True})
        while True:
            try:
                return listener.follow(float(patience))
            except LaminaError as error:
                _rest(error)


def _opened(folder: str) -> Memory:
    while True:
        try:
            return lamina.open(folder)
        except LaminaError as error:
            _rest(error)


def _rest(error: LaminaError) -> None:
    if not error.retryable:
        raise error
    say({"interrupted": error.code})
    time.sleep(NAP)


if __name__ == "__main__":
    main()
