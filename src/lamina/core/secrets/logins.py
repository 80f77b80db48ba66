"""Secrets that stand beside a user's name: `login bob / ...`, "log in as bob with ..."."""

import re
from collections.abc import Iterator
from typing import Final

from lamina.core.secrets.assignments import value_at
from lamina.core.secrets.spans import Secret, lowered_in_place
from lamina.core.secrets.values import is_code, is_mixed, is_placeholder, is_slug

# A name, at most three short words, a user, a separator: at most some 200 steps from any start.
_LOGIN: Final = re.compile(
    r"(?:(?P<open>credentials?|creds|zugangsdaten|anmeldedaten|identifiants?|credenciales"
    r"|datos de acceso)"
    r"|(?P<login>log(?:ged)?[ -]?in|zugang|acceso)"
    r"|user(?:[ _-]?name)?|account|benutzer(?:name)?|usuario|utilisateur)(?!\w)"
    r"(?: (?:for|to|on|für|zu|zum|pour|para|de|del|du)(?: [\w.\-]{1,32}){1,3}?)?"
    r"(?: [\w.\-]{1,24}(?= ?:))?"
    r"(?: (?:is|are|as|with|using|ist|sind|lauten|als|sont|son|es|est|en tant que|como))?"
    r"[ \t]{0,2}[:=]?[ \t]{0,2}[\"'`(]?(?P<user>[\w.@+\\\-]{1,64}+)[\"'`]?"
    r"(?P<sep> ?[/|:] ?|, ?| (?:with|using|and|mit|und|avec|et|con|y) )[\"'`]?"
)
_VAGUE: Final = {"/": 0, "|": 0, ":": 0, "and": 2, "und": 2, "et": 2, "y": 2, ",": 2}
_SYMBOLS: Final = re.compile(r"[^\w\s\-./',:’()]")


def find_logins(text: str) -> Iterator[Secret]:
    """Yield the second half of a user's name and password given as a pair."""
    lowered = lowered_in_place(text)
    at = 0
    while found := _LOGIN.search(lowered, at):
        at = max(found.start() + 4, found.end("user"))
        if found.start() and _is_wordy(lowered[found.start() - 1]):
            continue
        start, end = value_at(text, found.end())
        strict = 0 if found["open"] else 1 if found["login"] else 2
        if _is_password(text[start:end], max(strict, _VAGUE.get(found["sep"].strip(), 1))):
            yield Secret(start, end, "password")
            at = max(at, end)


def _is_wordy(char: str) -> bool:
    return char.isalnum() or char == "_"


def _is_password(value: str, strict: int) -> bool:
    """Whether `value` can only be a password; the vaguer the name before it, the more it takes."""
    if len(value) < 6 or not is_mixed(value) or is_placeholder(value) or is_code(value):
        return False
    if value[0] in "/-(@" or "@" in value and "." in value.rpartition("@")[2]:
        return False
    has_digit = any(map(str.isdigit, value))
    has_symbol = _SYMBOLS.search(value, 1) is not None
    if strict == 2 or is_slug(value.lower()) and value == value.lower():
        return has_digit and has_symbol
    if not is_slug(value) or has_symbol:
        return has_digit
    capital = value != value.lower() and value != value.upper()
    return has_digit and capital and (strict == 0 or value.count("-") + value.count("_") >= 2)
