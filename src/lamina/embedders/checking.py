"""Nothing an embedder says is believed before it was looked at.

A vector that is not a number, of no length or from another model would not fail: it would be kept,
and make every later search a little wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.calm import one_thread
from lamina.errors import EmbedderError, InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from lamina.embedders.protocol import Embedder, Role


class CheckedEmbedder:
    """An embedder whose every answer is checked and brought to unit length."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._fingerprint = embedder.fingerprint
        self._dimensions: int | None = None

    def __repr__(self) -> str:
        return f"CheckedEmbedder({self._fingerprint!r})"

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    @property
    def dimensions(self) -> int:
        if self._dimensions is None:
            self._dimensions = self._embedder.dimensions
        return self._dimensions

    @property
    def is_local(self) -> bool:
        return self._embedder.is_local

    def embed(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        if isinstance(texts, str):
            raise InvalidInputError("`texts` is one text", remedy="Pass a list of texts")
        # Asked before, a service that is new to us would be called twice.
        with one_thread():
            given: Any = self._embedder.embed(texts, role) if texts else None
        if self._embedder.fingerprint != self._fingerprint:
            raise EmbedderError(
                f"the embedder {self._fingerprint!r:.200} became another one",
                remedy="Open it again; vectors of two models cannot be compared",
            )
        import numpy as np

        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        return self._unit_rows(self._numbers(given, len(texts)))

    def _numbers(self, given: Any, count: int) -> NDArray[np.float64]:
        import numpy as np

        if not isinstance(given, np.ndarray) or not np.issubdtype(given.dtype, np.floating):
            raise self._wrong(f"something other than an array of floats: {type(given).__name__}")
        if given.ndim != 2:
            raise self._wrong(f"an array of {given.ndim} axes instead of 2")
        if given.shape[0] != count:
            raise self._wrong(f"{given.shape[0]} vectors for {count} texts")
        if given.shape[1] != self.dimensions or self.dimensions < 1:
            raise self._wrong(f"{given.shape[1]} dimensions instead of {self.dimensions}")
        # In single precision the squares of large numbers are infinite, of small ones nothing.
        return given.astype(np.float64)

    def _unit_rows(self, rows: NDArray[np.float64]) -> NDArray[np.float32]:
        import numpy as np

        largest = np.abs(rows).max(axis=1, keepdims=True)
        if not np.isfinite(largest).all():
            raise self._wrong("a vector that is not made of numbers")
        if not largest.all():
            raise self._wrong("a vector of no length")
        scaled = rows / largest
        unit: NDArray[np.float32] = (scaled / np.linalg.norm(scaled, axis=1, keepdims=True)).astype(
            np.float32
        )
        return unit

    def _wrong(self, what: str) -> EmbedderError:
        return EmbedderError(
            f"the embedder {self._fingerprint!r:.200} answered with {what}",
            remedy="Nothing of that answer was kept; look at the embedder, or choose another",
        )


def checked(embedder: Embedder) -> CheckedEmbedder:
    """`embedder`, believed only as far as its answers can be verified."""
    return embedder if isinstance(embedder, CheckedEmbedder) else CheckedEmbedder(embedder)
