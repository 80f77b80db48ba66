"""Which words a record is found by."""

from lamina.core.record import Content
from lamina.core.sealed import REFERENCE
from lamina.core.text import tokens


def index_terms(content: Content, key: str | None) -> tuple[str, ...]:
    """The tokens of text, key and tags; references to secrets are no words."""
    parts = (content.text, key or "", *content.tags)
    return tuple(token for part in parts if part for token in tokens(REFERENCE.sub(" ", part)))
