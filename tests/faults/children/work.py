"""What a child process works with: a store, its own chance, and a way to say what is done.

A line goes out in one write, before an operation begins and after it was acknowledged. Whoever
reads them knows what a killed process had been promised, and what it was in the middle of. The
times in them are of one clock, the same in all processes.
"""

import json
import os
import random
import sys
from collections.abc import Sequence
from functools import cached_property
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Any

import lamina
from lamina import Memory
from lamina.core.changes import Receipt
from lamina.core.record import Record
from lamina.testing.embedders import FakeEmbedder

STORE = "store"
AND_HOT = " hot "
"""Between the address of a store and that of its hot layers."""
DIMENSIONS = 24
"""Of vectors that are made without a model."""
EXPORT = "export.jsonl"
BACKUP = "backup-"
OLD = "old-"
"""Folders with a store of the first released format."""
NEW = "new-"
"""Folders whose store is made anew."""
_LETTERS = "bcdfghjklm"
"""No vowels and no `s`: nothing that the stemmer would take off."""


class Work:
    """One child's surroundings."""

    def __init__(self, folder: Path, seed: int, name: int) -> None:
        """Take the folder, the seed of the whole run, and a number that is this child's alone."""
        self.folder = folder
        self.name = name
        self.chance = random.Random(f"{seed} {name}")
        self._numbers = count(1)

    @cached_property
    def mem(self) -> Memory:
        """Opened when it is first needed: some operations are about the opening itself."""
        return lamina.open(self.folder / STORE, embedder=FakeEmbedder(DIMENSIONS))

    def number(self) -> int:
        """One that this process has not used before."""
        return next(self._numbers)

    def word(self) -> str:
        """A word that nobody else in this store says."""
        digits = f"{self.name:05d}{self.number():05d}"
        return "w" + "".join(_LETTERS[int(digit)] for digit in digits)

    def text(self) -> str:
        """Something to remember, which begins with a word of its own."""
        filler = " ".join(f"filler{self.chance.randrange(200)}" for _ in range(self.length()))
        return f"{self.word()} {filler}"

    def length(self) -> int:
        """Mostly short; now and then more than a page of the file holds."""
        return self.chance.choice((1, 3, 8, 20, 60, 600))

    def key(self) -> str:
        """One of a few names, so that they are written again and again."""
        return f"key-{self.name}-{self.chance.randrange(6)}"

    def began(self, **intent: object) -> None:
        """Say what comes next."""
        say({"began": intent, "at": monotonic()})

    def did(self, **facts: object) -> None:
        """Say what was acknowledged."""
        say({"did": facts, "at": monotonic()})

    def kept(self, receipt: Receipt, texts: Sequence[str]) -> None:
        """Say what a receipt promises: each id, its revision, its state and its first word."""
        kept = [
            (one.id, one.rev, one.state.value if one.state else None, first_word(text))
            for one, text in zip(receipt.outcomes, texts, strict=True)
        ]
        self.did(kept=kept)

    def holder(self) -> Record:
        """A current record with a key, which is made if there is none."""
        key = self.key()
        found = self.mem.query({"key": key})
        if not found:
            text = self.text()
            self.began(remember=key)
            self.kept(self.mem.remember(text, key=key), [text])
            found = self.mem.query({"key": key})
        return found[0]


def opened(place: str) -> Memory:
    """The store at a place: its address, and that of its hot layers if there is one."""
    where, _, hot = place.partition(AND_HOT)
    return lamina.open(where, hot=hot or None)


def first_word(text: str) -> str:
    """The word of its own that a text begins with."""
    return text.split(" ", 1)[0]


def say(line: Any) -> None:
    """Write one line to standard output, in one piece."""
    data = json.dumps(line).encode() + b"\n"
    while data:
        data = data[os.write(sys.stdout.fileno(), data) :]
