"""Finding every secret in a text: a cheap refusal, then the detectors, then one clean list."""

import re
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Final

from lamina.core.secrets.assignments import find_assignments, find_headers, find_listed
from lamina.core.secrets.phrases import (
    find_in_commands,
    find_in_prose,
    find_in_urls,
    find_named_after,
    find_random,
)
from lamina.core.secrets.shapes import find_private_keys, find_shapes
from lamina.core.secrets.spans import Secret

# Every issuer's shape holds sixteen such characters in a row. The lookbehind lets a run be tried
# only from its first character, so each character is read once.
_LONG_RUN: Final = re.compile(r"(?<![\w\-])[\w\-]{16}", re.ASCII)
_STEMS: Final = (
    "pass", "pwd", "pw", "secret", "token", "key", "auth", "bearer", "cred", "kennwort", "contrase",
    "mdp", "clave", "senha", "wachtwoord", "пароль", "密", "パスワ", "identified", "curl", "mysql",
    "docker login", "redis-cli", "mariadb", "sudo",
)  # fmt: skip
_BY_CONTEXT: Final[tuple[tuple[Callable[[str], Iterable[Secret]], tuple[str, ...]], ...]] = (
    (find_headers, ("authorization", "bearer", "basic")),
    (find_assignments, (":", "=", "--", ">", "：")),
    (find_listed, ("value",)),
    (find_named_after, (" as ",)),
    (find_in_prose, (" ", "\n", ":", "=", "密", "パ")),
    (find_in_commands, ("machine", "curl", "mysql", "mariadb", "sshpass", "docker", "redis",
                        "smbclient", "az login", "helm", "identified", "with ", "requirepass",
                        "sudo")),
)  # fmt: skip
"""Detectors that need a word for a secret, each with marks; without any of them it is skipped."""
_REFERENCE: Final = re.compile(r"secret://(?:[a-z2-7]{26}|redacted)")
_SHORTEST_PIECE: Final = 4
_SHORTEST_REPEAT: Final = 6
_REPEAT_BUDGET: Final = 1 << 25
"""Characters that may be read in search of further copies; keeps many secrets linear."""


def find_secrets(text: str) -> list[Secret]:
    """Every secret value in `text`, in order, none overlapping another.

    A value recognised once is reported wherever it stands, so that no copy of it is left behind.
    References (`secret://...`) are never reported.
    """
    lowered = text.lower()
    has_stem = any(stem in lowered for stem in _STEMS)
    has_run = _LONG_RUN.search(text) is not None
    has_user_info = "://" in text and "@" in text
    if not (has_stem or has_run or has_user_info):
        return []
    candidates: list[Iterable[Secret]] = []
    if has_run:
        candidates += (find_private_keys(text), find_shapes(text))
    if has_user_info:
        candidates.append(find_in_urls(text))
    if has_stem:
        candidates += (
            find(text) for find, marks in _BY_CONTEXT if any(m in lowered for m in marks)
        )
    if has_run:
        candidates.append(find_random(text))
    found = _without_references(text, _merged(chain.from_iterable(candidates)))
    return _without_references(text, _merged(chain(found, _copies(text, found)))) if found else []


def _merged(candidates: Iterable[Secret]) -> list[Secret]:
    """Join overlapping spans; the one that starts first, or else the earlier detector, names it."""
    merged: list[Secret] = []
    for secret in sorted(candidates, key=lambda each: each.start):
        if merged and secret.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Secret(last.start, max(last.end, secret.end), last.kind)
        elif secret.end > secret.start:
            merged.append(secret)
    return merged


def _without_references(text: str, found: list[Secret]) -> list[Secret]:
    if "secret://" not in text:
        return found
    kept: list[Secret] = []
    for secret in found:
        start = secret.start
        for reference in _REFERENCE.finditer(text, max(0, start - 34), secret.end + 34):
            kept += _piece(text, start, min(reference.start(), secret.end), secret.kind)
            start = max(start, reference.end())
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
