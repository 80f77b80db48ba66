"""How an embedder is named: `lamina`, `minilm`, `ollama:nomic-embed-text`, `off`.

Only the name is judged here. Whether there is such a model, and whether it answers, is found out by
opening it.
"""

import re
from dataclasses import dataclass
from typing import Final

from lamina.errors import InvalidInputError

OFF: Final = "off"
DEFAULT: Final = "lamina"
OLLAMA: Final = "ollama"
OPENAI: Final = "openai"
_WITHOUT_MODEL: Final = (DEFAULT, "static", "minilm", OFF)
_USUAL_MODEL: Final = {OLLAMA: "nomic-embed-text"}
_MODEL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}")
FORM: Final = "`ollama:MODEL` or `openai:MODEL`"


@dataclass(frozen=True, slots=True)
class EmbedderSpec:
    """Which sort of embedder, and which of its models."""

    kind: str
    model: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.model}" if self.model else self.kind


def parse_spec(text: str) -> EmbedderSpec:
    """Read the name of an embedder.

    Raises:
        InvalidInputError: There is no such sort, or its model is missing or not a name.
    """
    if not isinstance(text, str):
        raise InvalidInputError(f"`embedder` is {type(text).__name__}, not text", remedy=_ways())
    kind, colon, model = text.strip().partition(":")
    if kind in _WITHOUT_MODEL and not colon:
        return EmbedderSpec(kind)
    if kind not in (OLLAMA, OPENAI):
        raise InvalidInputError(f"`embedder` cannot be {text!r:.60}", remedy=_ways())
    if not colon:
        model = _USUAL_MODEL.get(kind, "")
    if not _MODEL.fullmatch(model):
        raise InvalidInputError(
            f"`embedder` names no model: {text!r:.60}",
            remedy=f"Write it as `{kind}:MODEL`, with letters, digits and any of . _ : / @ + -",
        )
    return EmbedderSpec(kind, model)


def check_spec(text: str) -> str:
    """The name of an embedder as it is to be kept; nothing is loaded."""
    return str(parse_spec(text))


def _ways() -> str:
    return f"Use one of: {', '.join(_WITHOUT_MODEL)}, {FORM}"
