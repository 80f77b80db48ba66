"""Embedding by a service: batches, prefixes, long texts and what an answer must look like.

It does not know which service: an `Api` says how to ask and how to read the answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lamina import web
from lamina.embedders import hurrying
from lamina.embedders.profiles import Profile
from lamina.embedders.protocol import Role
from lamina.embedders.windows import SIZES, windows
from lamina.errors import EmbedderError, EmbedderUnavailableError
from lamina.web import Endpoint, Failing, Patience

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

_VERSION: Final = 1
"""Part of the fingerprint: counts up when the same model would be asked otherwise."""
_TEXTS_AT_ONCE: Final = 64
_CHARACTERS_AT_ONCE: Final = 200_000
_RETRIES: Final = 2
_TOO_LONG: Final = re.compile(r"context|too long|too large|too many tokens|maximum|length", re.I)

FAILING: Final = Failing(
    EmbedderError, EmbedderUnavailableError, EmbedderUnavailableError,
    "LAMINA_EMBED_TIMEOUT sets how long to wait",
)  # fmt: skip


class RefusedError(EmbedderError):
    """The service answered that it will not do this; `status` is its reason in HTTP."""

    def __init__(self, message: str, *, status: int, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.status = status


@dataclass(frozen=True, slots=True)
class Api:
    """How one sort of service is asked."""

    kind: str
    path: str
    question: Callable[[str, Sequence[str]], Mapping[str, object]]
    """From the model and the texts to what is sent."""
    answer: Callable[[Any], list[Any]]
    """From what comes back to one list of numbers for each text."""
    remedies: Mapping[int, str] = field(default_factory=dict)
    """What to do when it refuses, by status; `{model}` stands for the model."""


class ServiceEmbedder:
    """A model behind an address."""

    def __init__(
        self, api: Api, endpoint: Endpoint, model: str, profile: Profile, seconds: float
    ) -> None:
        self._api = api
        self._endpoint = endpoint
        self._model = model
        self._profile = profile
        self._seconds = seconds
        self._dimensions: int | None = None

    def __repr__(self) -> str:
        return f"ServiceEmbedder({self.fingerprint!r})"

    @property
    def fingerprint(self) -> str:
        parts = [f"{self._api.kind}:{self._model}", str(_VERSION)]
        if self._profile != Profile():
            parts += [f"document={self._profile.document}", f"query={self._profile.query}"]
        return "|".join(parts)

    @property
    def dimensions(self) -> int:
        if self._dimensions is None:
            return int(self.embed(["hello"], Role.QUERY).shape[1])
        return self._dimensions

    @property
    def is_local(self) -> bool:
        return False

    def embed(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        prefix = self._profile.query if role is Role.QUERY else self._profile.document
        patience = self._patience(role)
        parts = [self._rows(batch, prefix, patience) for batch in _batches(texts)]
        return np.concatenate(parts) if parts else np.empty((0, self.dimensions), np.float32)

    def _patience(self, role: Role) -> Patience:
        # Somebody waits for a query, and keywords answer without it; documents have time.
        if role is Role.QUERY or hurrying.is_hurried():
            return Patience(min(self._seconds, hurrying.SECONDS))
        return Patience(self._seconds, _RETRIES)

    def _rows(self, texts: Sequence[str], prefix: str, patience: Patience) -> NDArray[np.float32]:
        try:
            return self._ask([prefix + text for text in texts], patience)
        except RefusedError as error:
            if not _TOO_LONG.search(error.message) and error.status != 413:
                raise
            if len(texts) == 1:
                return self._in_windows(texts[0], prefix, patience, error)
        middle = len(texts) // 2
        halves = (texts[:middle], texts[middle:])
        return np.concatenate([self._rows(half, prefix, patience) for half in halves])

    def _in_windows(
        self, text: str, prefix: str, patience: Patience, error: RefusedError
    ) -> NDArray[np.float32]:
        """The mean of the pieces that the service takes: cut off, the end could not be found."""
        for size in SIZES:
            pieces = windows(text, size)
            if len(pieces) == 1:
                continue
            try:
                rows = self._ask([prefix + piece for piece in pieces], patience)
            except RefusedError as again:
                error = again
                continue
            lengths = np.linalg.norm(rows, axis=1, keepdims=True)
            weights = np.array([[len(piece)] for piece in pieces], np.float32)
            mean = (rows / np.maximum(lengths, 1e-12) * weights).sum(axis=0, keepdims=True)
            return np.asarray(mean / weights.sum(), np.float32)
        raise error

    def _ask(self, texts: Sequence[str], patience: Patience) -> NDArray[np.float32]:
        question = self._api.question(self._model, texts)
        try:
            told = web.post(self._endpoint, self._api.path, question, patience)
        except web.RefusedError as error:
            remedy = self._api.remedies.get(error.status, "").format(model=self._model)
            raise RefusedError(error.message, status=error.status, remedy=remedy) from None
        rows = self._array(told, len(texts))
        before, self._dimensions = self._dimensions, int(rows.shape[1])
        if before not in (None, self._dimensions):
            # Told once: from now on the model is another, and the store says what of.
            raise EmbedderError(
                f"{self._endpoint.name} answered with {self._dimensions} dimensions after {before}",
                remedy=f"Is `{self._model}` still the same model?",
            )
        return rows

    def _array(self, told: Any, count: int) -> NDArray[np.float32]:
        try:
            rows = self._api.answer(told)
            # What is too large for single precision becomes infinite, and is refused as such.
            with np.errstate(over="ignore"):
                array = np.array(rows, dtype=np.float64).astype(np.float32)
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
            array = np.empty((0,), np.float32)
        if array.ndim != 2 or array.shape[0] != count or array.shape[1] == 0:
            raise EmbedderError(
                f"{self._endpoint.name} did not answer with {count} vectors of one length",
                remedy=f"Is `{self._model}` a model for embedding?",
            )
        return array


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    start = characters = 0
    for place, text in enumerate(texts):
        full = place - start == _TEXTS_AT_ONCE or characters + len(text) > _CHARACTERS_AT_ONCE
        if full and place > start:
            yield texts[start:place]
            start, characters = place, 0
        characters += len(text)
    if start < len(texts):
        yield texts[start:]
