"""Which words a record is found by."""

from lamina.core.record import Content
from lamina.core.sealed import REFERENCE, SCHEME
from lamina.core.text import tokens


def index_terms(content: Content, key: str | None) -> tuple[str, ...]:
    """The tokens of text, key and tags; references to secrets are no words."""
    text = "\n".join((content.text, key or "", *content.tags))
    return tuple(tokens(REFERENCE.sub(" ", text) if SCHEME in text else text))
