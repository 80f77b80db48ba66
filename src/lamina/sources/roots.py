"""Which tree a path belongs to, and what that tree is called in a scope.

The root is the git work tree around the path, or a folder that was indexed before and holds it, or
the path itself; so `index docs` and `index .` speak of the same files. It is called like its
folder.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from lamina.core.canonical import check_text
from lamina.core.names import to_name
from lamina.errors import InvalidInputError
from lamina.sources.walking import OWN_IGNORE, git_root, why_left_out


@dataclass(frozen=True, slots=True)
class Root:
    """A tree, and the part of it that is meant."""

    base: Path
    label: str
    start: str
    """The part to be followed, relative to the base; empty for all of it."""

    def covers(self, file: str) -> bool:
        """Whether a file lies in the part that is meant."""
        return not self.start or file == self.start or file.startswith(f"{self.start}/")


def locate(path: str | Path, known: Mapping[str, str]) -> Root:
    """The root of a path, given the roots that there are by label, with the folder of each."""
    target = existing(path)
    base = git_root(target) or _holding(target, known) or _folder(target)
    start = "" if target == base else target.relative_to(base).as_posix()
    reason = why_left_out(base, start)
    if reason:
        raise InvalidInputError(
            f"`path` is left out: {reason}",
            remedy=f"If it should be indexed, say so in {OWN_IGNORE}, as in !{start or 'FOLDER'}",
        )
    return Root(base, _label(base, known), start)


def existing(path: str | Path) -> Path:
    """Where a path leads, if there is something."""
    named = check_text(
        os.fspath(path) if isinstance(path, os.PathLike) else path, "path", limit=4096
    )
    target = Path(os.path.realpath(named))
    if not named or not target.exists():
        raise InvalidInputError(
            f"`path` does not exist: {named!r:.200}",
            remedy="Check the path; to follow a deletion, name the folder that it was in",
        )
    return target


def _folder(target: Path) -> Path:
    return target if target.is_dir() else target.parent


def _holding(target: Path, known: Mapping[str, str]) -> Path | None:
    """The nearest known root that the path lies in."""
    bases = {Path(base) for base in known.values()}
    return next((folder for folder in (target, *target.parents) if folder in bases), None)


def _label(base: Path, known: Mapping[str, str]) -> str:
    """The name that the root has, or its folder's; one that moved away leaves its name behind."""
    for label, folder in known.items():
        if Path(folder) == base:
            return label
    name = to_name(base.name, "files")[:56]
    candidates = (name if number == 1 else f"{name}-{number}" for number in count(1))
    return next(
        label for label in candidates if label not in known or not os.path.isdir(known[label])
    )
