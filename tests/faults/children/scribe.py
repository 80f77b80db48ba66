"""Write to a server that fails: `python -m tests.faults.children.scribe ADDRESS NAME SEED THREADS`.

It begins with a line on standard input and ends with the next one. What carries an idempotency key
is said again under the same key until it is acknowledged, by the same handle; what carries none is
tried once. Every call is said with the time it took, for whoever wants to know who hung.
"""

import random
import sys
import threading
import time
from collections.abc import Callable
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from lamina import Memory
from lamina.core.changes import Receipt
from lamina.errors import ConflictError, LaminaError
from tests.faults.children.work import opened, say

if TYPE_CHECKING:
    from lamina.core.draft import Draft

T = TypeVar("T")
COUNTER = "raised by everybody"
SHARED = ("global", "project/shared", "project/shared/task/t-1")
"""Scopes that all scribes write to; each has one of its own beside them."""
PART, PARTS = " part ", 3
"""What is written together says so, and how much that is."""
LONGEST_REST = 0.04
NAP = 0.1
"""Between two tries of the same thing."""


class Scribe:
    """One thread that writes."""

    counts_in = "knowledge"
    """The layer of what everybody raises."""

    def __init__(self, mem: Memory, name: str, seed: str) -> None:
        self._mem = mem
        self._name = name
        self._chance = random.Random(f"{name} {seed}")
        self._scopes = (*SHARED, f"project/{name}")
        self._calls: list[tuple[float, float, str]] = []
        self._numbers = count(1)

    def write_until(self, told: threading.Event) -> None:
        """Write one thing after another."""
        try:
            while not told.is_set():
                self._chance.choice(self._kinds())(f"{self._name} {next(self._numbers)}")
                time.sleep(self._chance.uniform(0, LONGEST_REST))
        except Exception as error:
            say({"error": f"{self._name}: {error!r}"})

    def _kinds(self) -> "tuple[Callable[[str], None], ...]":
        bare = self._without_a_key
        return (self._one, self._again, self._several, self._raise, bare, bare)

    def _draft(self, text: str) -> "Draft":
        return {"text": text, "scope": self._chance.choice(self._scopes)}

    def _one(self, text: str) -> None:
        self._write([self._draft(text)], text)

    def _again(self, text: str) -> None:
        """A name of its own, in a scope of everybody's."""
        key = f"{self._name}-{self._chance.randrange(3)}"
        self._write([{**self._draft(text), "key": key}], text)

    def _several(self, text: str) -> None:
        """Over several streams, all or nothing."""
        self._write([self._draft(f"{text}{PART}{number}") for number in range(PARTS)], text)

    def _write(self, drafts: "list[Draft]", request: str) -> None:
        self._insist(
            [draft["text"] for draft in drafts],
            lambda: self._mem.remember_many(drafts, idempotency_key=request),
        )

    def _raise(self, text: str) -> None:
        """Read a number and write it back, unless somebody else was quicker."""
        layer = self.counts_in
        record = self._until_done(lambda: self._mem.get(COUNTER, layer=layer))
        raised: Draft = {
            "text": text, "key": COUNTER, "layer": layer, "expect": record.rev,
            "data": {"number": record.data["number"] + 1},
        }  # fmt: skip
        try:
            self._write([raised], text)
        except ConflictError:
            # It was refused, so nothing of it may be there.
            say({"refused": text, "calls": self._taken()})

    def _without_a_key(self, text: str) -> None:
        self._write_once([self._draft(text)])

    def _write_once(self, drafts: "list[Draft]") -> None:
        texts = [draft["text"] for draft in drafts]
        try:
            receipt = self._timed(lambda: self._mem.remember_many(drafts))
        except LaminaError as error:
            if not error.retryable:
                raise
            say({"unknown": texts, "calls": self._taken()})
        else:
            self._say(receipt, texts)

    def _insist(self, texts: list[str], write: Callable[[], Receipt]) -> None:
        self._say(self._until_done(write), texts)

    def _until_done(self, work: Callable[[], T]) -> T:
        while True:
            try:
                return self._timed(work)
            except LaminaError as error:
                if not error.retryable:
                    raise
                time.sleep(NAP)

    def _timed(self, work: Callable[[], T], became: str = "done") -> T:
        start = monotonic()
        try:
            return work()
        except LaminaError as error:
            became = error.code
            raise
        finally:
            self._calls.append((start, monotonic(), became))

    def _taken(self) -> list[tuple[float, float, str]]:
        calls, self._calls = self._calls, []
        return calls

    def _say(self, receipt: Receipt, texts: list[str]) -> None:
        wrote = [
            (one.id, one.rev, text)
            for one, text in zip(receipt.outcomes, texts, strict=True)
        ]  # fmt: skip
        say({"wrote": wrote, "repeated": receipt.repeated, "calls": self._taken()})


def main(scribe: type[Scribe] = Scribe) -> None:
    """Write in as many threads as asked, until told to stop."""
    address, name, seed, threads = sys.argv[1:]
    told = threading.Event()
    with opened(address) as mem:
        say({"ready": name})
        sys.stdin.readline()
        working = [
            threading.Thread(target=scribe(mem, f"{name}-{number}", seed).write_until, args=(told,))
            for number in range(int(threads))
        ]
        for thread in working:
            thread.start()
        sys.stdin.readline()
        told.set()
        for thread in working:
            thread.join()


if __name__ == "__main__":
    main()
