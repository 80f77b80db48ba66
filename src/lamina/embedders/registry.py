"""From the name of an embedder to the embedder, loaded when it is first wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina.core.embedder_spec import OFF, OLLAMA, EmbedderSpec, check_spec, parse_spec
from lamina.errors import UnsupportedError

if TYPE_CHECKING:
    from lamina.config import EmbeddingServices
    from lamina.embedders.checking import CheckedEmbedder
    from lamina.embedders.protocol import Embedder

__all__ = ["check_spec", "open_embedder"]

_opened: Final[dict[tuple[EmbedderSpec, EmbeddingServices], CheckedEmbedder]] = {}


def open_embedder(spec: str, services: EmbeddingServices) -> CheckedEmbedder | None:
    """The embedder called `spec`, the same one every time in this process; None for `off`.

    A service is not asked yet: it may be down now and there when it is needed.

    Raises:
        InvalidInputError: There is no embedder of that name, or its address cannot be one.
        UnsupportedError: It needs something that is not installed; the remedy names it.
        EmbedderError: Its weights are damaged.
    """
    wanted = parse_spec(spec)
    if wanted.kind == OFF:
        return None
    found = _opened.get((wanted, services))
    if found is None:
        from lamina.embedders.checking import checked

        # Two threads may both load it, and one is kept: a lock could be held during a fork.
        found = _opened.setdefault((wanted, services), checked(_open(wanted, services)))
    return found


def _open(spec: EmbedderSpec, services: EmbeddingServices) -> Embedder:
    try:
        import numpy as np  # noqa: F401 - asked for here, so that its absence is told once
    except ImportError:
        raise UnsupportedError(
            "embedding needs numpy, which cannot be loaded", remedy="Run `pip install numpy`"
        ) from None
    if spec.kind == "minilm":
        from lamina.embedders.minilm import open_minilm

        return open_minilm()
    if spec.kind == "static":
        from lamina.embedders.native import StaticEmbedder

        return StaticEmbedder()
    if spec.model:
        return _open_service(spec, services)
    from lamina.embedders.native import NativeEmbedder

    return NativeEmbedder()


def _open_service(spec: EmbedderSpec, services: EmbeddingServices) -> Embedder:
    if spec.kind == OLLAMA:
        from lamina.embedders.ollama import open_ollama

        return open_ollama(spec.model, services)
    from lamina.embedders.openai_http import open_openai

    return open_openai(spec.model, services)
