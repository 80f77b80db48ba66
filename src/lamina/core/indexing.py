"""Which words a record is found by."""

from typing import Final

from lamina.core.record import Content
from lamina.core.sealed import REFERENCE
from lamina.core.text import ANALYSER_VERSION, tokens

INDEX_VERSION: Final = f"lamina-{ANALYSER_VERSION}"
"""Names the analyser; a store indexed by another one is indexed anew before it is written."""


def index_terms(content: Content, key: str | None) -> tuple[str, ...]:
    """The tokens of text, key and tags; references to secrets are no words."""
    parts = (content.text, key or "", *content.tags)
    return tuple(token for part in parts if part for token in tokens(REFERENCE.sub(" ", part)))
