"""Which words a record is found by."""

from lamina.core.layers import LAYERS
from lamina.core.record import Content, Record
from lamina.core.sealed import REFERENCE, SCHEME
from lamina.core.text import tokens

_NOBODY = frozenset(("user", "assistant", "agent", "system", "tool"))
"""Roles, which say nothing about who speaks."""


def index_terms(content: Content, key: str | None) -> tuple[str, ...]:
    """The tokens of text, key and tags; references to secrets are no words."""
    text = "\n".join((content.text, key or "", *content.tags))
    return tuple(tokens(REFERENCE.sub(" ", text) if SCHEME in text else text))


def embedded_text(record: Record) -> str:
    """What is shown to an embedder: who said it in a conversation, or what it is the value of."""
    text = REFERENCE.sub(" ", record.text) if SCHEME in record.text else record.text
    if LAYERS[record.layer].in_order and record.source not in _NOBODY:
        return f"{record.source}: {text}"
    return f"{record.key}: {text}" if record.key else text
