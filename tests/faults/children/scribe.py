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

import lamina
from lamina import Memory
from lamina.core.changes import Receipt
from lamina.errors import ConflictError, LaminaError
from tests.faults.children.work import say

if TYPE_CHECKING:
    from lamina.core.draft import Draft

T = TypeVar("T")
COUNTER = "raised by everybody"
SHARED = ("global", "project/shared", "project/shared/task/t-1")
"""Scopes that all scribes write to; each has one of its own beside them."""
LONGEST_REST = 0.04
NAP = 0.1
"""Between two tries of the same thing."""


class Scribe:
    """One thread that writes."""

    def __init__(self, mem: Memory, name: str, seed: str) -> None:
        self._mem = mem
        self._name = name
        self._chance = random.Random(f"{name} {seed}")
        self._scopes = (*SHARED, f"project/{name}")
        self._calls: list[tuple[float, float, str]] = []
        self._numbers = count(1)

    def write_until(self, told: threading.Event) -> None:
        """Write one thing after another."""
        bare = self._without_a_key
        kinds = (self._one, self._again, self._several, self._raise, bare, bare)
        try:
            while not told.is_set():
                self._chance.choice(kinds)(f"{self._name} {next(self._numbers)}")
                time.sleep(self._chance.uniform(0, LONGEST_REST))
        except Exception as error:
            say({"error": f"{self._name}: {error!r}"})

    def _one(self, text: str) -> None:
        scope = self._chance.choice(self._scopes)
        self._insist(
            [text], lambda: self._mem.remember(text, scope=scope, idempotency_key=text)
        )  # fmt: skip

    def _again(self, text: str) -> None:
        """A name of its own, in a scope of everybody's."""
        scope, key = self._chance.choice(self._scopes), f"{self._name}-{self._chance.randrange(3)}"
        self._insist(
            [text],
            lambda: self._mem.remember(text, scope=scope, key=key, idempotency_key=text),
        )

    def _several(self, text: str) -> None:
        """Over several streams, all or nothing."""
        drafts: list[Draft] = [
            {"text": f"{text} {number}", "scope": self._chance.choice(self._scopes)}
            for number in range(3)
        ]
        self._insist(
            [str(draft["text"]) for draft in drafts],
            lambda: self._mem.remember_many(drafts, idempotency_key=text),
        )

    def _raise(self, text: str) -> None:
        """Read a number and write it back, unless somebody else was quicker."""
        record = self._until_done(lambda: self._mem.get(COUNTER))
        raised = {"number": record.data["number"] + 1}
        try:
            self._insist(
                [text],
                lambda: self._mem.remember(
                    text, key=COUNTER, data=raised, expect=record.rev, idempotency_key=text
                ),
            )
        except ConflictError:
            # It was refused, so nothing of it may be there.
            say({"refused": text, "calls": self._taken()})

    def _without_a_key(self, text: str) -> None:
        try:
            receipt = self._timed(
                lambda: self._mem.remember(text, scope=self._chance.choice(self._scopes))
            )
        except LaminaError as error:
            if not error.retryable:
                raise
            say({"unknown": text, "calls": self._taken()})
        else:
            self._say(receipt, [text])

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

    def _timed(self, work: Callable[[], T]) -> T:
        start, became = monotonic(), "done"
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


def main() -> None:
    """Write in as many threads as asked, until told to stop."""
    address, name, seed, threads = sys.argv[1:]
    told = threading.Event()
    with lamina.open(address) as mem:
        say({"ready": name})
        sys.stdin.readline()
        working = [
            threading.Thread(target=Scribe(mem, f"{name}-{number}", seed).write_until, args=(told,))
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
