"""Embedders for tests: one that needs no model, and one that goes wrong on demand."""

from __future__ import annotations

import re
import threading
from enum import StrEnum
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import numpy as np

from lamina.errors import EmbedderError, EmbedderUnavailableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lamina.embedders.protocol import Embedder, Role

_WORD: Final = re.compile(r"\w+")
_LONGEST_WAIT_SECONDS: Final = 30.0


class FakeEmbedder:
    """Words become fixed directions, so texts that share words are near, on every machine alike."""

    def __init__(self, dimensions: int = 64, *, name: str = "fake", is_local: bool = True) -> None:
        self._dimensions = dimensions
        self._name = name
        self._is_local = is_local
        self.calls: list[tuple[tuple[str, ...], Role]] = []
        """What it was asked, in order."""

    @property
    def fingerprint(self) -> str:
        return f"{self._name}|{self._dimensions}"

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def is_local(self) -> bool:
        return self._is_local

    def embed(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        self.calls.append((tuple(texts), role))
        rows = np.zeros((len(texts), self._dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in _WORD.findall(text.lower()) or [text]:
                row += self._direction(word)
        # Words can cancel each other out; a text must not end up without a direction.
        rows[~rows.any(axis=1), 0] = 1
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    def _direction(self, word: str) -> NDArray[np.float32]:
        """Plus or minus one in every dimension, by the bits of a hash."""
        content = word.encode("utf-8", "surrogatepass")
        blocks = range(-(-self._dimensions // 512))
        bits = b"".join(
            blake2b(content, salt=block.to_bytes(16, "big")).digest() for block in blocks
        )
        signs = np.unpackbits(np.frombuffer(bits, np.uint8))[: self._dimensions]
        return signs.astype(np.float32) * 2 - 1


class Fault(StrEnum):
    """A way in which an embedder can go wrong."""

    DOWN = "down"
    SLOW = "slow"
    """Answers only after `release()`."""
    SHORT = "short"
    """One vector too few."""
    NAN = "nan"
    ZERO = "zero"
    WIDE = "wide"
    """More dimensions than it says."""
    CHANGED = "changed"
    """Another model under the same name: a new fingerprint."""
    ANGRY = "angry"
    """Refuses everything."""


class FaultyEmbedder:
    """`inner`, with a fault that can be set and taken away while it is in use.

    Texts that contain `refuses` are refused, and their whole batch with them, as services do. One
    that contains `chokes_on` is too much for it now, and may not be later.
    """

    def __init__(
        self,
        inner: Embedder,
        fault: Fault | None = None,
        *,
        refuses: str = "",
        chokes_on: str = "",
    ) -> None:
        self.inner = inner
        self.fault = fault
        self.refuses = refuses
        self.chokes_on = chokes_on
        self.count = 0
        """How often it was asked."""
        self._released = threading.Event()

    @property
    def fingerprint(self) -> str:
        changed = " changed" if self.fault is Fault.CHANGED else ""
        return self.inner.fingerprint + changed

    @property
    def dimensions(self) -> int:
        return self.inner.dimensions

    @property
    def is_local(self) -> bool:
        return False

    def release(self) -> None:
        """Let a slow call answer, and all that follow."""
        self._released.set()

    def embed(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        self.count += 1
        if self.fault is Fault.DOWN:
            raise EmbedderUnavailableError("the embedder is down")
        if self.fault is Fault.SLOW and not self._released.wait(_LONGEST_WAIT_SECONDS):
            raise EmbedderUnavailableError("the embedder is too slow")
        if self.chokes_on and any(self.chokes_on in text for text in texts):
            raise EmbedderUnavailableError("the embedder is too busy for this text")
        refused = self.refuses and any(self.refuses in text for text in texts)
        if refused or self.fault is Fault.ANGRY:
            raise EmbedderError("the embedder refuses")
        return self._spoilt(self.inner.embed(texts, role))

    def _spoilt(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        match self.fault:
            case Fault.SHORT:
                return rows[:-1]
            case Fault.WIDE:
                return np.hstack([rows, rows])
            case Fault.NAN:
                return np.where(np.arange(len(rows))[:, None] == 0, np.float32(np.nan), rows)
            case Fault.ZERO:
                return np.where(np.arange(len(rows))[:, None] == 0, np.float32(0), rows)
            case _:
                return rows
