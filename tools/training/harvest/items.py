"""What harvesting yields: plain texts, and pairs of texts that belong together."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SHORTEST, LONGEST = 12, 1800
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Text:
    """One text on its own: the student learns where its teacher puts it."""

    text: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A short side that looks for a long side, and the kind of bond between them."""

    kind: str
    query: str
    document: str


Item = Text | Pair


def flat(text: str) -> str:
    """The text on one line, cut to the longest length used in training."""
    return _SPACES.sub(" ", text[: LONGEST * 2]).strip()[:LONGEST]


def texts(*candidates: str) -> Iterator[Text]:
    """A text for each candidate that is long enough to mean something."""
    for candidate in candidates:
        line = flat(candidate)
        if len(line) >= SHORTEST or (line and not line.isascii() and len(line) >= 5):
            yield Text(line)


def pair(kind: str, query: str, document: str) -> Iterator[Pair]:
    """The pair, unless one of its sides is next to nothing or both are the same."""
    short, long = flat(query), flat(document)
    if len(short) >= 3 and len(long) >= 8 and short.casefold() != long.casefold():
        yield Pair(kind, short, long)


class Mirror:
    """A git repository without a work tree, read at its newest commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / ".git" if (folder / ".git").is_dir() else folder

    def git(self, *arguments: str) -> bytes:
        """The output of one git command, empty where it fails."""
        command = ["git", "-C", str(self.folder), *arguments]
        return subprocess.run(command, capture_output=True, check=False).stdout

    def paths(self, pattern: str) -> list[str]:
        """The files whose path matches and whose content is there."""
        wanted = re.compile(pattern)
        rows = self.git("ls-tree", "-r", "-l", "-z", "HEAD").decode("utf-8", "replace").split("\0")
        found = []
        for row in rows:
            meta, _, path = row.partition("\t")
            if path and wanted.search(path) and meta.split()[-1].isdigit():
                found.append(path)
        return found

    def read(self, path: str) -> bytes:
        """The content of a file."""
        return self.git("cat-file", "blob", f"HEAD:{path}")

    def documents(self, pattern: str, limit: int) -> Iterator[str]:
        """The text of the matching files, evenly thinned to a limit."""
        paths = self.paths(pattern)
        for path in paths[:: max(1, len(paths) // limit)]:
            yield self.read(path).decode("utf-8", "replace")
