"""Commit messages, and the entries of release notes that speak of the same change."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .items import Item, Mirror, pair, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

_TRAILER = re.compile(
    r"^(signed-off-by|co-authored-by|reviewed-by|change-id|closes|fixes|refs)\b.*$", re.I | re.M
)
_NUMBER = re.compile(r"\s*[(\[]?(?:gh-|GH-|#)(\d{2,6})[)\]]?(?:\([^)]*\))?")
_LINK = re.compile(r"https?://\S+|\[([^\]]*)\]\([^)]*\)")
_ENTRY = re.compile(r"^\s*(?:[-*+]|\d+\.)\s+(.*(?:\n(?!\s*(?:[-*+]|\d+\.)\s|\s*\n).*)*)", re.M)
NOTES = (
    r"(?i)(^|/)(changelog|changes|history|release|news|whatsnew|releases)[^/]*(/[^/]*)?"
    r"\.(md|rst|txt)$"
)


def harvest(mirror: Mirror, most: int = 7000) -> Iterator[Item]:
    """Subject and body of each commit as a text and a pair, then the release notes."""
    log = mirror.git("log", "--no-merges", "-n", "40000", "--format=%s%x1f%b%x1e")
    by_number: dict[str, tuple[str, str]] = {}
    count = 0
    for entry in log.decode("utf-8", "replace").split("\x1e"):
        subject, _, body = entry.strip("\n").partition("\x1f")
        body = _plain(_TRAILER.sub("", body))
        for number in _NUMBER.findall(subject):
            by_number.setdefault(number, (_plain(subject), body))
        subject = _plain(subject)
        if count < most and len(subject) > 12 and not subject.startswith(("Bump ", "Release ")):
            count += 1
            yield from texts(f"{subject}. {body}" if body else subject)
            if len(body) > 40:
                yield from pair("commit", subject, body)
    yield from _notes(mirror, by_number)


def _plain(message: str) -> str:
    return _NUMBER.sub("", _LINK.sub(lambda match: match[1] or "", message)).strip()


def _notes(mirror: Mirror, commits: dict[str, tuple[str, str]]) -> Iterator[Item]:
    for document in mirror.documents(NOTES, 250):
        for entry in _ENTRY.findall(document):
            numbers = _NUMBER.findall(entry)
            plain = re.sub(r":[a-z:]+:`~?([^`]*)`|[`*]", r"\1", _plain(entry))
            if not numbers or numbers[0] not in commits or len(plain) < 20:
                continue
            subject, body = commits[numbers[0]]
            yield from texts(plain)
            yield from pair("release-note", plain, f"{subject}. {body[:400]}" if body else subject)
