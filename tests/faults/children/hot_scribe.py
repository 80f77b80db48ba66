"""Write to a store whose hot layers are elsewhere: what is hot, what is not, and both at once.

Called as `tests.faults.children.scribe` is. What is in the base alone is tried once, without mercy:
it has nothing to do with how the other store is.
"""

from typing import TYPE_CHECKING

from lamina import Memory
from tests.faults.children.scribe import COUNTER, PART, PARTS, Scribe, main

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.core.draft import Draft

HOT = " hot"
"""Ends the text of what is in the hot store."""
LAYERS = ("task", "blackboard")
DONE_IN_BASE = "done in the base"


class HotScribe(Scribe):
    """One thread that writes to both."""

    def __init__(self, mem: Memory, name: str, seed: str) -> None:
        super().__init__(mem, name, seed)
        [counter] = self._until_done(lambda: mem.query({"key": COUNTER}))
        self.counts_in = counter.layer

    def _kinds(self) -> "tuple[Callable[[str], None], ...]":
        return (
            self._one, self._again, self._several, self._several_once, self._raise,
            self._without_a_key, self._cold, self._cold,
        )  # fmt: skip

    def _draft(self, text: str) -> "Draft":
        return {**super()._draft(text + HOT), "layer": self._chance.choice(LAYERS)}

    def _several(self, text: str) -> None:
        self._write(self._parts(text), text)

    def _several_once(self, text: str) -> None:
        self._write_once(self._parts(text))

    def _parts(self, text: str) -> "list[Draft]":
        """The first in the base, and the others hot."""
        cold = super()._draft(f"{text}{PART}0")
        return [cold, *(self._draft(f"{text}{PART}{number}") for number in range(1, PARTS))]

    def _cold(self, text: str) -> None:
        draft = super()._draft(text)
        write = self._mem.remember_many
        receipt = self._timed(lambda: write([draft], idempotency_key=text), DONE_IN_BASE)
        self._say(receipt, [text])


if __name__ == "__main__":
    main(HotScribe)
