"""Models that Ollama serves, by `/api/embed`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from lamina.embedders.profiles import profile_of
from lamina.embedders.service import FAILING, Api, ServiceEmbedder
from lamina.web import endpoint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.config import EmbeddingServices

_PORT: Final = 11434


def open_ollama(model: str, services: EmbeddingServices) -> ServiceEmbedder:
    """An embedder that asks Ollama for `model`; nothing is asked yet."""
    place = services.ollama
    address = endpoint("Ollama", _address(place.value or ""), place.origin, FAILING)
    return ServiceEmbedder(_API, address, model, profile_of(model), services.seconds)


def _address(host: str) -> str:
    """What `OLLAMA_HOST` may say, as an address: it also tells the server where to listen."""
    full = host if "://" in host else f"http://{host}"
    scheme, _, rest = full.partition("://")
    place, slash, path = rest.partition("/")
    if place.startswith(":"):
        place = f"127.0.0.1{place}"
    try:
        parts = urlsplit(f"//{place}")
        if parts.hostname in ("0.0.0.0", "::"):
            place = f"127.0.0.1:{parts.port}" if parts.port else "127.0.0.1"
        if "://" not in host and parts.port is None and not parts.path:
            place = f"{place}:{_PORT}"
    except ValueError:
        return host
    return f"{scheme}://{place}{slash}{path}"


def _question(model: str, texts: Sequence[str]) -> Mapping[str, object]:
    # Cut off silently, a text would be found by its beginning alone.
    return {"model": model, "input": list(texts), "truncate": False}


def _answer(told: Any) -> list[Any]:
    rows = told["embeddings"]
    if not isinstance(rows, list):
        raise TypeError
    return rows


_API: Final = Api(
    kind="ollama",
    path="/api/embed",
    question=_question,
    answer=_answer,
    remedies={404: "Fetch it with `ollama pull {model}`"},
)
