"""Whether a field's name says that its value is a secret."""

import re
from functools import lru_cache
from typing import Final

from lamina.core.secrets.words import (
    HARMLESS_BEFORE_TOKEN,
    HARMLESS_FIRST_WORDS,
    KEY_QUALIFIERS,
    PASS_QUALIFIERS,
    PASSWORD_WORDS,
    QUALIFYING_LAST_WORDS,
    TOKEN_WORDS,
)

# Alternatives start with different classes and repeat one class: every character is read once.
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?(?:[a-z]|[^\W\dA-Za-z_])+|\d+")
_LONGEST_NAME: Final = 128


def is_secret_field(name: str) -> bool:
    """Whether a value called `name` should be sealed whatever it looks like.

    The last word decides (`client_secret`, `dbPassword`), because words after it turn the name into
    something about the secret: `password_policy`, `token_count`, `secret_santa`.
    """
    return field_family(name) is not None


@lru_cache(maxsize=2048)
def field_family(name: str) -> str | None:
    """`password` for values people choose, `token` for values machines draw, `None` for neither."""
    if len(name) > _LONGEST_NAME:
        return None
    words = _words(name)
    if not words or (len(words) > 1 and words[0] in HARMLESS_FIRST_WORDS):
        return None
    last = words[-1]
    before = words[-2] if len(words) > 1 else ""
    if last in PASSWORD_WORDS or (last == "passe" and before == "de"):
        return "password"
    if last == "pass":
        return "password" if before in PASS_QUALIFIERS else None
    if last == "token" and before in HARMLESS_BEFORE_TOKEN:
        return None
    if last in TOKEN_WORDS:
        return "token"
    if last == "phrase":
        return "password" if before in {"pass", "seed", "recovery"} else None
    if last == "key" or (last in {"pem", "material"} and before == "key"):
        return (
            "token" if KEY_QUALIFIERS.intersection(words[:-1]) and "public" not in words else None
        )
    return None


def _words(name: str) -> list[str]:
    words = [word.lower() for word in _WORD.findall(name)]
    while len(words) > 1 and (words[-1].isdigit() or words[-1] in QUALIFYING_LAST_WORDS):
        words.pop()
    return words
