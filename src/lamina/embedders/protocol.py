"""What turns text into vectors must do.

An embedder knows texts and vectors and nothing of records, stores or rankings. Two vectors may be
compared only if the same fingerprint made both.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


class Role(StrEnum):
    """What a text is to a search; many models want to be told."""

    DOCUMENT = "document"
    QUERY = "query"


class Embedder(Protocol):
    """Texts in, vectors of unit length out. Safe to share between threads."""

    @property
    def fingerprint(self) -> str:
        """Everything that makes vectors comparable: model, version, prefixes, normalisation."""

    @property
    def dimensions(self) -> int:
        """How long a vector is.

        Raises:
            EmbedderUnavailableError: The service, asked because it never was before, is down.
        """

    @property
    def is_local(self) -> bool:
        """Whether vectors are made in this process; else a call waits for what can be down."""

    def embed(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        """One row for each text, in their order.

        Raises:
            EmbedderUnavailableError: The service is down or too slow; the same call may succeed
                later.
            EmbedderError: It answered, and not with vectors for these texts.
        """
