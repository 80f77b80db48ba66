"""Services that kept a question waiting in vain: no other waits until they answer again.

Recall has an answer by words within milliseconds. It may wait for a service once, but not each
time; whether the service is there again is found out in the background.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from lamina.clock import stopwatch
from lamina.errors import EmbedderError, EmbedderUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.embedders.checking import CheckedEmbedder

_LONG_SECONDS: Final = 0.1
"""What fails faster than this holds nobody up, and may be asked again at once."""


class Silence:
    """What one process knows of embedders that did not answer."""

    def __init__(self) -> None:
        self._why: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self._why)

    @contextmanager
    def broken_by(self, embedder: CheckedEmbedder) -> Iterator[None]:
        """Wait a moment for an answer, unless the one before was waited for in vain.

        Raises:
            EmbedderUnavailableError: It was, and has not been heard of since.
        """
        from lamina.embedders.hurrying import hurried

        if (why := self._why.get(embedder.fingerprint)) is not None:
            raise EmbedderUnavailableError(
                f"{why}; questions go by words until it does",
                remedy="Nothing is lost; it is asked again in the background",
            )
        start = stopwatch()
        try:
            with hurried():
                yield
        except EmbedderError as error:
            if not embedder.is_local and stopwatch() - start > _LONG_SECONDS:
                self._why[embedder.fingerprint] = error.message
            raise

    def listen(self, embedder: CheckedEmbedder) -> None:
        """Ask an embedder that is silent whether it is there again, in the background.

        A model may have to be loaded first, which takes longer than a question waits.

        Raises:
            EmbedderError: It is not.
        """
        from lamina.embedders.hurrying import hurried
        from lamina.embedders.protocol import Role
        from lamina.embedders.separating import HARMLESS

        if embedder.fingerprint in self._why:
            embedder.embed([HARMLESS], Role.DOCUMENT)
            with hurried():
                embedder.embed([HARMLESS], Role.QUERY)
            self._why.pop(embedder.fingerprint, None)

    def forget(self) -> None:
        """Somebody may have seen to what was wrong."""
        self._why.clear()
