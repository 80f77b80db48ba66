"""Nothing an embedder says is believed before it was looked at.

A vector that is not a number, of no length or from another model would not fail: it would be kept,
and make every later search a little wrong.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lamina.calm import one_thread
from lamina.errors import (
    EmbedderError,
    EmbedderUnavailableError,
    InvalidInputError,
    LaminaError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from lamina.embedders.protocol import Embedder, Role


@contextmanager
def explained(name: str) -> Iterator[None]:
    """Let out nothing but errors of ours: an embedder may be anybody's, and raise anything.

    What it says is not repeated, for it may quote the texts. Whether it will say so again nobody
    knows, so it may be asked again.

    Raises:
        EmbedderUnavailableError: Something else than an error of ours was raised.
    """
    try:
        yield
    except LaminaError:
        raise
    except Exception as error:
        raise EmbedderUnavailableError(
            f"the embedder {name!r:.200} failed with {type(error).__name__}",
            remedy="Nothing is lost; call its `embed` with a text of yours to see the whole error",
        ) from None


class CheckedEmbedder:
    """An embedder whose every answer is checked and brought to unit length."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        with explained(type(embedder).__name__):
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
            with explained(self._fingerprint):
                self._dimensions = self._embedder.dimensions
        return self._dimensions

    @property
    def known_dimensions(self) -> int | None:
        """How long a vector is, unless a service would have to be asked for it."""
        return self.dimensions if self.is_local else self._dimensions

    @property
    def is_local(self) -> bool:
        with explained(self._fingerprint):
            return self._embedder.is_local

    def embed(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        if isinstance(texts, str):
            raise InvalidInputError("`texts` is one text", remedy="Pass a list of texts")
        # Asked before, a service that is new to us would be called twice.
        with one_thread(), explained(self._fingerprint):
            given: Any = self._embedder.embed(texts, role) if texts else None
            is_another = self._embedder.fingerprint != self._fingerprint
        if is_another:
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
        with explained(self._fingerprint):
            # Asked each time: a model can change behind its name, and what that means for vectors
            # that are kept is for the store to say.
            self._dimensions = self._embedder.dimensions
        if given.shape[1] != self._dimensions or self._dimensions < 1:
            raise self._wrong(f"{given.shape[1]} dimensions instead of {self._dimensions}")
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
