"""A text that cannot be embedded, told from an embedder that cannot embed.

One bad text must not hold up the others, and a service that is down must not make every text look
bad. So when a batch fails, a harmless text is tried first: if that fails too, it is the embedder.
Otherwise halves are tried until the bad texts stand alone.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from lamina.embedders.checking import CheckedEmbedder, checked
from lamina.embedders.protocol import Role
from lamina.errors import EmbedderError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from lamina.embedders.protocol import Embedder

HARMLESS: Final = "hello"
CALLS: Final = 64
_AT_ONCE: Final = 4
"""A try, the harmless text, the harmless text once more and another try."""


@dataclass(slots=True)
class Separated:
    """What became of each text, by its position."""

    vectors: dict[int, NDArray[np.float32]] = field(default_factory=dict)
    refused: dict[int, EmbedderError] = field(default_factory=dict)
    """Why it cannot be embedded; with `retryable`, it may be possible later."""
    untried: list[int] = field(default_factory=list)
    """What the number of calls did not suffice for: neither good nor bad, ask again."""


def embed_each(
    embedder: Embedder, texts: Sequence[str], role: Role, *, calls: int = CALLS
) -> Separated:
    """Embed what can be embedded and say of each other text why not.

    Args:
        embedder: Whose answers are checked here, whether or not they were before.
        texts: A batch, as it would be given to `embed`.
        role: What they are to a search.
        calls: How often the embedder is asked at most; four at least.

    Raises:
        EmbedderUnavailableError: It is down or too slow, for harmless texts as well.
        EmbedderError: It answers wrongly, for harmless texts as well.
    """
    return _Separation(checked(embedder), texts, role, calls).run()


def embed_now(embedder: CheckedEmbedder, texts: Sequence[str]) -> dict[int, NDArray[np.float32]]:
    """The vectors of documents for somebody who waits, by their positions."""
    if embedder.is_local:
        return embed_each(embedder, texts, Role.DOCUMENT).vectors
    # To find the one text that a service cannot take needs many calls: too many for now.
    return dict(enumerate(embedder.embed(texts, Role.DOCUMENT)))


class _Separation:
    def __init__(
        self, embedder: CheckedEmbedder, texts: Sequence[str], role: Role, calls: int
    ) -> None:
        self._embedder = embedder
        self._texts = texts
        self._role = role
        self._calls = max(calls, _AT_ONCE)
        self._found = Separated()

    def run(self) -> Separated:
        waiting = deque([list(range(len(self._texts)))] if self._texts else [])
        is_vouched_for = False
        while waiting:
            part = waiting.popleft()
            if self._calls < _AT_ONCE:
                self._found.untried += part
                continue
            error = self._try(part)
            if error is None:
                continue
            if not is_vouched_for:
                self._vouch()
                is_vouched_for = True
            if len(part) > 1:
                middle = len(part) // 2
                waiting.extendleft((part[middle:], part[:middle]))
            else:
                self._refuse(part[0], error)
        self._found.untried.sort()
        return self._found

    def _try(self, part: list[int]) -> EmbedderError | None:
        self._calls -= 1
        try:
            rows = self._embedder.embed([self._texts[place] for place in part], self._role)
        except EmbedderError as error:
            return error
        self._found.vectors.update(zip(part, rows, strict=True))
        return None

    def _vouch(self) -> None:
        """Let the embedder's own error out if it cannot embed a harmless text either."""
        self._calls -= 1
        self._embedder.embed([HARMLESS], self._role)

    def _refuse(self, place: int, error: EmbedderError) -> None:
        if error.retryable:
            # Gone since, or brought down by this text: only what comes next can tell.
            self._vouch()
            again = self._try([place])
            if again is None:
                return
            error = again
        self._found.refused[place] = error
