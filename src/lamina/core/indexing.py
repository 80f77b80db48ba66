"""Which words a record is found by, and which text stands for it where meaning is compared."""

from typing import Final

from lamina.core.record import Content, Record, Trust
from lamina.core.sealed import REFERENCE, SCHEME
from lamina.core.text import tokens

_ROLES: Final = frozenset(trust.value for trust in Trust) | {"assistant"}
"""Sources that tell what sort of speaker it was, not who."""


def index_terms(content: Content, key: str | None) -> tuple[str, ...]:
    """The tokens of speaker, text, key and tags; references to secrets are no words."""
    text = "\n".join((spoken(content), key or "", *content.tags))
    return tuple(tokens(REFERENCE.sub(" ", text) if SCHEME in text else text))


def spoken(content: Content) -> str:
    """The text with who said it in front, where that is a name.

    People ask what somebody said or did, and what somebody says names others but not themselves.
    """
    named = content.source.casefold() not in _ROLES
    return f"{content.source}: {content.text}" if named and content.source else content.text


def embedded_text(record: Record) -> str:
    """What is shown to an embedder: what was said and by whom, or what it is the value of."""
    text = spoken(record) if record.key is None else f"{record.key}: {spoken(record)}"
    return REFERENCE.sub(" ", text) if SCHEME in text else text
