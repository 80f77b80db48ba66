"""Many sorted strings in two arrays: found by bisection, by their start, or by what they hold."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np

from lamina.indexes.file import Array, ArrayFile, refuse_unless

_EVERYWHERE: Final = 3
_REMEMBERED: Final = 4096
"""How many answers are kept: one question looks for the same words several times."""


@dataclass(frozen=True, slots=True)
class Strings:
    """Strings in the order of their bytes, which in UTF-8 is the order of their characters."""

    blob: Array
    offsets: Array
    lengths: Array
    """How many characters each has."""
    _known: dict[str, int | None] = field(default_factory=dict, init=False, compare=False)

    @classmethod
    def of(cls, words: Sequence[str]) -> "Strings":
        """Pack strings that are sorted and distinct."""
        encoded = [word.encode("utf-8", "surrogatepass") for word in words]
        offsets = np.zeros(len(encoded) + 1, "u8")
        np.cumsum([len(one) for one in encoded], out=offsets[1:])
        lengths = np.fromiter(map(len, words), "u4", len(words))
        return cls(np.frombuffer(b"".join(encoded), "u1"), offsets, lengths)

    @classmethod
    def of_file(cls, file: ArrayFile, name: str) -> "Strings":
        """Take strings out of a file that `arrays` put there."""
        found = cls(*file.named(f"{name}_blob", f"{name}_offsets", f"{name}_lengths"))
        ends = found.offsets[[0, -1]].tolist() if found.offsets.shape > (0,) else None
        fits = ends == [0, len(found.blob)] and found.lengths.shape == (len(found),)
        refuse_unless(fits, file.path, f"has strings that do not fit together in `{name}`")
        return found

    def arrays(self, name: str) -> dict[str, Array]:
        """What to write into a file."""
        return {
            f"{name}_blob": self.blob,
            f"{name}_offsets": self.offsets,
            f"{name}_lengths": self.lengths,
        }

    def __len__(self) -> int:
        return max(len(self.offsets) - 1, 0)

    def __iter__(self) -> Iterator[str]:
        blob, ends = self.blob.tobytes(), self.offsets.tolist()
        for start, end in pairwise(ends):
            yield blob[start:end].decode("utf-8", "surrogatepass")

    def __getitem__(self, number: int) -> str:
        return self._bytes(number).decode("utf-8", "surrogatepass")

    def find(self, word: str) -> int | None:
        """The number of a string, if it is among these."""
        try:
            return self._known[word]
        except KeyError:
            found = self._find(word)
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[word] = found
        return found

    def _find(self, word: str) -> int | None:
        sought = word.encode("utf-8", "surrogatepass")
        at = self._bisect(sought)
        return at if at < len(self) and self._bytes(at) == sought else None

    def starting(self, start: str) -> range:
        """The numbers of the strings that start so."""
        sought = start.encode("utf-8", "surrogatepass")
        # No byte of UTF-8 is as great as this one.
        return range(self._bisect(sought), self._bisect(sought + b"\xff"))

    def holding(self, piece: str) -> Array:
        """The numbers of the strings that hold a piece anywhere, ascending."""
        sought = np.frombuffer(piece.encode("utf-8", "surrogatepass"), "u1")
        places = len(self.blob) - len(sought) + 1
        if not len(sought) or places <= 0:
            return np.arange(len(self) if not len(sought) else 0)
        # Some bytes are compared everywhere, which leaves few places for the others.
        same = self.blob[:places] == sought[0]
        for shift, byte in enumerate(sought[1:_EVERYWHERE].tolist(), 1):
            same &= self.blob[shift : shift + places] == byte
        found = np.flatnonzero(same)
        for shift, byte in enumerate(sought[_EVERYWHERE:].tolist(), _EVERYWHERE):
            found = found[self.blob[found + shift] == byte]
        found = found.astype(self.offsets.dtype)
        owners = np.searchsorted(self.offsets, found, "right") - 1
        inside = found + len(sought) <= self.offsets[owners + 1]
        return np.unique(owners[inside])

    def shortest(self, numbers: range | Array) -> Iterator[tuple[int, str, int]]:
        """Some strings as (length, string, number), the shortest first, then in order."""
        at = np.asarray(numbers)
        order = np.argsort(self.lengths[at], kind="stable")
        for number in at[order].tolist():
            word = self[number]
            yield len(word), word, number

    def _bisect(self, sought: bytes) -> int:
        return bisect_left(range(len(self)), sought, key=self._bytes)

    def _bytes(self, number: int) -> bytes:
        return self.blob[self.offsets[number] : self.offsets[number + 1]].tobytes()
