"""Models behind the embeddings call that OpenAI made and many servers speak."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.embedders.profiles import profile_of
from lamina.embedders.service import FAILING, Api, ServiceEmbedder
from lamina.web import endpoint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.config import EmbeddingServices


def open_openai(model: str, services: EmbeddingServices) -> ServiceEmbedder:
    """An embedder that asks such a server for `model`; nothing is asked yet."""
    place = services.openai
    address = endpoint(
        "the embedding service",
        place.value or "",
        place.origin,
        FAILING,
        key=services.openai_key,
    )
    return ServiceEmbedder(_API, address, model, profile_of(model), services.seconds)


def _question(model: str, texts: Sequence[str]) -> Mapping[str, object]:
    return {"model": model, "input": list(texts)}


def _answer(told: Any) -> list[Any]:
    """The vectors in the order of the texts, which is not promised to be that of the answer."""
    rows = {int(item["index"]): item["embedding"] for item in told["data"]}
    return [rows[place] for place in range(len(told["data"]))]


_KEY: Final = "Set LAMINA_OPENAI_KEY to a key that this service takes"
_API: Final = Api(
    kind="openai",
    path="/embeddings",
    question=_question,
    answer=_answer,
    remedies={
        401: _KEY,
        403: _KEY,
        404: "Does this service have the model `{model}`, and does its address end in /v1?",
    },
)
