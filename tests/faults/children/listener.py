"""Follow the feed: `python -m tests.faults.children.listener FOLDER SECONDS [CURSOR]`.

It says every change with the cursor behind it, and ends when nothing happens for so many seconds,
or when somebody writes that it is the end. Where the store fails and may recover, it says so and
goes on from its cursor, with the same handle. Where it is told that part of what happened is gone,
it says that, and goes on from now.
"""

import sys
import time

from lamina import Memory
from lamina.core.cursor import parse_cursor
from lamina.errors import InvalidInputError, LaminaError
from tests.faults.children.work import AND_HOT, opened, say

END = "this is the end"
HOT_END = f"{END} hot"
"""Said as well where what is hot is kept elsewhere."""
NAP = 0.1
"""Before it is tried again."""


class Listener:
    """One that goes on from where it was."""

    def __init__(self, mem: Memory, ends: set[str], after: str | None) -> None:
        self._mem = mem
        self._ends = ends
        """What it still waits for."""
        self._after = after

    def follow(self, patience: float) -> None:
        """Say each change as soon as it is heard."""
        for change in self._mem.changes(self._after, follow=True, timeout=patience):
            event, self._after = change.event, change.cursor
            text = change.record.text if change.record else None
            say({"stream": event.stream, "seq": event.seq, "cursor": change.cursor, "text": text})
            if self._is_end(text):
                return

    def begin_anew(self) -> bool:
        """Go on from now, with what there is now; whether that is the end."""
        after = self._mem.cursor()
        there = self._mem.query({"key": END})
        self._after = after
        say({"gap": parse_cursor(after, "after").seqs, "cursor": after})
        return any(self._is_end(record.text) for record in there)

    def _is_end(self, text: str | None) -> bool:
        self._ends.discard(text or "")
        return not self._ends


def main() -> None:
    """Follow, however often it is interrupted."""
    place, patience, *cursor = sys.argv[1:]
    ends = {END, HOT_END} if AND_HOT in place else {END}
    with _opened(place) as mem:
        listener = Listener(mem, ends, cursor[0] if cursor else None)
        say({"ready": True})
        while not _listened(listener, float(patience)):
            pass


def _listened(listener: Listener, patience: float) -> bool:
    """Whether it came to its end."""
    try:
        listener.follow(patience)
    except InvalidInputError:
        return _began_anew(listener)
    except LaminaError as error:
        _rest(error)
        return False
    return True


def _began_anew(listener: Listener) -> bool:
    try:
        return listener.begin_anew()
    except LaminaError as error:
        _rest(error)
        return False


def _opened(place: str) -> Memory:
    while True:
        try:
            return opened(place)
        except LaminaError as error:
            _rest(error)


def _rest(error: LaminaError) -> None:
    if not error.retryable:
        raise error
    say({"interrupted": error.code})
    time.sleep(NAP)


if __name__ == "__main__":
    main()
