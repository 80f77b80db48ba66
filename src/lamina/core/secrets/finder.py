"""Finding every secret in a text: a cheap refusal, then the detectors, then one clean list."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Final

from lamina.core.secrets.assignments import (
    accepts_named,
    accepts_phrase,
    find_assignments,
    find_headers,
    find_listed,
)
from lamina.core.secrets.fields import field_family, is_secret_member
from lamina.core.secrets.logins import find_logins
from lamina.core.secrets.phrases import (
    find_in_commands,
    find_in_urls,
    find_named_after,
    find_random,
)
from lamina.core.secrets.shapes import find_private_keys, find_shapes
from lamina.core.secrets.spans import Secret
from lamina.core.secrets.statements import find_stated

# Every issuer's shape holds sixteen such characters in a row. The lookbehind lets a run be tried
# only from its first character, so each character is read once.
_LONG_RUN: Final = re.compile(r"(?<![\w\-])[\w\-]{16}", re.ASCII)
_DIGIT: Final = re.compile(r"[0-9]")
_STEMS: Final = (
    "pass", "pwd", "pw", "secret", "token", "key", "auth", "bearer", "cred", "kennwort", "contrase",
    "mdp", "clave", "senha", "wachtwoord", "пароль", "密", "パスワ", "identified", "curl", "mysql",
    "docker login", "redis-cli", "mariadb", "sudo", "schlüssel",
)  # fmt: skip
# Words for a secret that is one only with a number behind it; too common to be stems.
_NUMBERED: Final = re.compile(
    r"\b(?:pin|otp)\b|combination|one.time|code ?[:=,]"
    r"|code (?:is|was|ist|lautet|est|es|pin|de|du|d['’]|for|to|of|für|fürs)\b|código"
)
_LOGINS: Final = (
    "login", "log in", "user", "cred", "account", "zugang", "anmelde", "identifiant", "usuario",
    "logged in", "acceso", "utilisateur", "benutzer",
)  # fmt: skip
_BY_CONTEXT: Final[tuple[tuple[Callable[[str], Iterable[Secret]], tuple[str, ...]], ...]] = (
    (find_headers, ("authorization", "bearer", "basic")),
    (find_assignments, (":", "=", "--", ">", "：")),
    (find_listed, ("val", "content")),
    (find_named_after, (" as ", " is ", " ist ", " est ", " es ", " als ", " comme ", " como ")),
    (find_stated, (" ", "\n", ":", "=", "密", "パ")),
    (find_in_commands, ("machine", "curl", "mysql", "mariadb", "sshpass", "docker", "redis",
                        "smbclient", "az login", "helm", "identified", "with ", "requirepass",
                        "sudo")),
)  # fmt: skip
"""Detectors that need a word for a secret, each with marks; without any of them it is skipped."""
_REFERENCE: Final = re.compile(r"secret://(?:[a-z2-7]{26}|redacted)")
_BY_CONTEXT_ALONE: Final = frozenset({"password", "token", "api_key", "random", "authorization"})
_SHORTEST_PIECE: Final = 4
_SHORTEST_REPEAT: Final = 6
_REPEAT_BUDGET: Final = 1 << 25
"""Characters that may be read in search of further copies; keeps many secrets linear."""


def find_secrets(text: str) -> list[Secret]:
    """Every secret value in `text`, in order, none overlapping another.

    A value recognised once is reported wherever it stands, so that no copy of it is left behind.
    References (`secret://...`) are never reported, and nothing is read across one.
    """
    if not text:
        return []
    references: list[tuple[int, int]] = []
    if "secret://" in text:
        references = [found.span() for found in _REFERENCE.finditer(text)]
        # No detector reads a name or a value across lines, so a reference becomes line breaks.
        text = _REFERENCE.sub(lambda found: "\n" * len(found[0]), text)
    lowered = text.lower()
    found = _merged(chain.from_iterable(_candidates(text, lowered)))
    if references:
        found = _without_references(text, _unglued(text, found, references), references)
    if not found:
        return found
    found = _merged(chain(found, _copies(text, found)))
    return _without_references(text, found, references) if references else found


def find_called(text: str, name: str) -> list[Secret]:
    """Every secret value in a text that stands under a name, which may be what gives it away.

    A name such as `db-password` counts like the same word in front of the text. Who writes a
    sentence there says something about the secret, so only what could be the value is taken.
    """
    family = field_family(name)
    told = _told_by(text, family, find_secrets) if family else []
    # A longer name says it only as a sentence does: "password for staging", but no "token budget".
    said = [] if family or "secret://" in text else _told_by(text, name, find_stated)
    return _merged(chain(find_secrets(text), told, said, _whole(text, name, family)))


def _told_by(text: str, name: str, find: Callable[[str], Iterable[Secret]]) -> Iterator[Secret]:
    """What is found in a text when a name stands before it."""
    value = text.lstrip()
    before = len(name) + 2
    at = len(text) - len(value) - before
    for each in find(f"{name}: {value}"):
        if each.start >= before:
            yield Secret(each.start + at, each.end + at, each.kind)


def _whole(text: str, name: str, family: str | None) -> Iterable[Secret]:
    value = text.strip()
    if _REFERENCE.search(value) or not is_secret_member(name, value):
        return
    is_phrase = "phrase" in name.lower() and accepts_phrase(value)
    if is_phrase or family is None or accepts_named(value, family):
        start = text.find(value)
        yield Secret(start, start + len(value), "token" if family == "token" else "password")


def _candidates(text: str, lowered: str) -> list[Iterable[Secret]]:
    candidates: list[Iterable[Secret]] = []
    has_run = _LONG_RUN.search(text) is not None
    if has_run:
        candidates += (find_private_keys(text), find_shapes(text))
    if "://" in text and "@" in text:
        candidates.append(find_in_urls(text))
    has_digit = _DIGIT.search(text) is not None
    if _holds(lowered, _STEMS) or (has_digit and _NUMBERED.search(lowered)):
        candidates += (find(text) for find, marks in _BY_CONTEXT if _holds(lowered, marks))
    if has_digit and _holds(lowered, _LOGINS):
        candidates.append(find_logins(text))
    if has_run:
        candidates.append(find_random(text))
    return candidates


def _holds(text: str, marks: Iterable[str]) -> bool:
    # Every text that is written comes by here, and a generator takes twice as long.
    for mark in marks:  # noqa: SIM110
        if mark in text:
            return True
    return False


def _merged(candidates: Iterable[Secret]) -> list[Secret]:
    """Join overlapping spans; the one that starts first, or else the earlier detector, names it.

    An address says exactly where its password ends, so what starts inside one adds nothing to it.
    """
    merged: list[Secret] = []
    for secret in sorted(candidates, key=lambda each: (each.start, each.kind != "url_password")):
        if merged and secret.start < merged[-1].end:
            last = merged[-1]
            if last.kind != "url_password":
                merged[-1] = Secret(last.start, max(last.end, secret.end), last.kind)
        elif secret.end > secret.start:
            merged.append(secret)
    return merged


def _unglued(text: str, found: list[Secret], references: list[tuple[int, int]]) -> list[Secret]:
    """Drop what looks like a secret only because the reference it is glued to was set apart."""
    starts, ends = ({edge[side] for edge in references} for side in (0, 1))
    return [
        each
        for each in found
        if not (each.start in ends and text[each.start].isalnum())
        and not (each.end in starts and each.kind in _BY_CONTEXT_ALONE)
    ]


def _without_references(
    text: str, found: list[Secret], references: list[tuple[int, int]]
) -> list[Secret]:
    """Cut references out of what was found: a private key may have something sealed in it."""
    kept: list[Secret] = []
    at = 0
    for secret in found:
        while at < len(references) and references[at][1] <= secret.start:
            at += 1
        if at == len(references) or references[at][0] >= secret.end:
            kept.append(secret)
            continue
        start = secret.start
        while at < len(references) and references[at][0] < secret.end:
            kept += _piece(text, start, references[at][0], secret.kind)
            start = references[at][1]
            at += 1
        kept += _piece(text, start, secret.end, secret.kind)
    return kept


def _piece(text: str, start: int, end: int, kind: str) -> list[Secret]:
    whole = text[start:end].strip()
    return [Secret(start, end, kind)] if len(whole) >= _SHORTEST_PIECE else []


def _copies(text: str, found: list[Secret]) -> Iterable[Secret]:
    values = {text[each.start : each.end]: each.kind for each in found}
    affordable = max(1, _REPEAT_BUDGET // max(1, len(text)))
    for value, kind in list(values.items())[:affordable]:
        if len(value) < _SHORTEST_REPEAT:
            continue
        at = text.find(value)
        while at >= 0:
            end = at + len(value)
            if not value.isalpha() or _stands_alone(text, at, end):
                yield Secret(at, end, kind)
            at = text.find(value, end)


def _stands_alone(text: str, start: int, end: int) -> bool:
    return not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum())
