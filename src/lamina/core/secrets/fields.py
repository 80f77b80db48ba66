"""Whether a field's name says that its value is a secret."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from lamina.core.secrets.words import (
    HARMLESS_BEFORE_TOKEN,
    HARMLESS_FIRST_WORDS,
    KEY_QUALIFIERS,
    NAMING_MEMBERS,
    PASS_QUALIFIERS,
    PASSWORD_WORDS,
    QUALIFYING_LAST_WORDS,
    TOKEN_WORDS,
    VALUE_MEMBERS,
)

# Alternatives start with different classes and repeat one class: every character is read once.
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?(?:[a-z]|[^\W\dA-Za-z_])+|\d+")
# The form of a record id, by chance with a word in it: one in two thousand ends in `pw`.
_ID: Final = re.compile(r"(?<![^\W_])[0-7][0-9a-hjkmnp-tv-z]{25}(?![^\W_])")
_PIN: Final = re.compile(r"\d{4,12}")
_LONGEST_NAME: Final = 128
_LONGEST_ROLE: Final = 16


def is_secret_field(name: str) -> bool:
    """Whether a value called `name` should be sealed whatever it looks like.

    The last word decides (`client_secret`, `dbPassword`), because words after it turn the name into
    something about the secret: `password_policy`, `token_count`, `secret_santa`.
    """
    return field_family(name) is not None


def is_secret_member(name: str, value: object) -> bool:
    """Whether `name` gives `value` away; unlike a password, a PIN is one only if it is digits."""
    family = field_family(name)
    if family is not None or not isinstance(value, str):
        return family is not None
    words = _words(name) if len(name) <= _LONGEST_NAME else []
    return _PIN.fullmatch(value) is not None and (words == ["pin"] or words[-2:] == ["pin", "code"])


def named_values(members: Mapping[str, object]) -> frozenset[str]:
    """The members of an object that hold a secret named by the member beside them.

    `{"name": "API_TOKEN", "value": "..."}`, as containers, requests and forms list their settings.
    """
    by_role = {member.lower(): member for member in members if len(member) <= _LONGEST_ROLE}
    names = [members[by_role[role]] for role in NAMING_MEMBERS if role in by_role]
    if not any(isinstance(name, str) and is_secret_field(name) for name in names):
        return frozenset()
    values = [by_role[role] for role in VALUE_MEMBERS if role in by_role]
    return frozenset(each for each in values if not _is_article(each, members[each]))


def _is_article(member: str, value: object) -> bool:
    """Whether this is a text about the secret: a note named `password` has content of its own."""
    return member.lower() == "content" and isinstance(value, str) and value.count(" ") > 3


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
    words = [word.lower() for word in _WORD.findall(_ID.sub(" ", name))]
    while len(words) > 1 and (words[-1].isdigit() or words[-1] in QUALIFYING_LAST_WORDS):
        words.pop()
    return words
