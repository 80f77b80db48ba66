"""Walking a folder: which files there are to index, in a fixed order, and why others are not.

Ignore files are heeded as git does, at every level. Links are never followed, so that nothing
outside the tree is read and nothing is met twice.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from lamina.sources.beneath import open_file, open_folder
from lamina.sources.guarding import reason_to_guard
from lamina.sources.ignoring import Rule, deciding, parse_rules

GIT: Final = ".git"
OWN_IGNORE: Final = ".laminaignore"
_IGNORE_FILES: Final = (".gitignore", OWN_IGNORE)
_IGNORED: Final = "ignored by an ignore file"
_LARGEST_IGNORE_FILE: Final = 1_000_000
_NEVER_NAMES: Final = frozenset((GIT, ".hg", ".svn", ".lamina", "node_modules", "__pycache__"))
_NEVER_HOLDING: Final = ("lamina.db", "pyvenv.cfg", "CACHEDIR.TAG")
"""What marks a folder as Lamina's own, as a virtual environment, or as a cache."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file that is there to be indexed; the path is relative to the root, with slashes."""

    file: str
    bytes: int
    modified_ns: int


@dataclass(slots=True)
class Walk:
    """What a walk met."""

    files: list[Found] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    """Paths with the reason."""
    unseen: list[str] = field(default_factory=list)
    """Paths that could not be looked at: what is known of them still stands."""

    def hides(self, file: str) -> bool:
        """Whether a file may be there, for all that could be looked at."""
        return any(file == one or file.startswith(f"{one}/") or not one for one in self.unseen)


def walk(root: Path, start: str = "") -> Walk:
    """Everything to be indexed at or below `start`, a path relative to the root."""
    found = Walk()
    rules, here = [*_rules_outside(root)], ""
    for part in start.split("/") if start else []:
        rules += _rules_in(root, here)
        here = f"{here}/{part}" if here else part
    if start and not (root / start).is_dir():
        _take_file(root, start, found)
    else:
        _walk_folder(root, start, rules, found)
    return found


def why_left_out(root: Path, path: str) -> str:
    """Why a path would not be met from the root; empty when it would."""
    if _is_never(root):
        return f"{root.name} is a folder that is never indexed"
    rules, here = [*_rules_outside(root)], ""
    for part in path.split("/") if path else []:
        rules += _rules_in(root, here)
        here = f"{here}/{part}" if here else part
        is_folder = (root / here).is_dir()
        reason = _why_not(rules, here, is_folder=is_folder)
        if reason:
            return f"{here} is {reason}"
        if is_folder and _is_never(root / here):
            return f"{here} is a folder that is never indexed"
    return ""


def git_root(path: Path) -> Path | None:
    """The top of the git work tree that a path lies in."""
    for folder in (path, *path.parents):
        if (folder / GIT).exists():
            return folder
    return None


def _walk_folder(root: Path, start: str, rules: list[Rule], found: Walk) -> None:
    waiting = [(start, rules)]
    while waiting:
        folder, outer = waiting.pop()
        try:
            entries = _listed(root, folder)
        except OSError as error:
            found.skipped.append((_shown(folder) or ".", f"cannot be read: {error.strerror}"))
            found.unseen.append(folder)
            continue
        inner = [*outer, *_rules_in(root, folder)]
        below: list[tuple[str, list[Rule]]] = []
        for name, is_folder in entries:
            path = f"{folder}/{name}" if folder else name
            if name == GIT or (is_folder and _is_never(root / path)):
                continue
            reason = _why_not(inner, path, is_folder=is_folder)
            if reason:
                _leave_out(path, reason, found, is_folder=is_folder)
            elif is_folder:
                below.append((path, inner))
            else:
                _take_file(root, path, found)
        waiting += reversed(below)


def _listed(root: Path, folder: str) -> list[tuple[str, bool]]:
    """The names in a folder in order, each with whether it is a folder itself."""
    with open_folder(root, folder) as descriptor, os.scandir(descriptor) as entries:
        return sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)


def _why_not(rules: list[Rule], path: str, *, is_folder: bool) -> str:
    """Why a path is not for memory; empty when it is."""
    rule = deciding(rules, path, is_folder=is_folder)
    if rule is not None and rule.ignores:
        return _IGNORED
    # What is guarded comes in only if somebody says so to Lamina, not because git keeps it.
    is_wanted = rule is not None and rule.own
    return "" if is_wanted else reason_to_guard(path.rpartition("/")[2])


def _leave_out(path: str, reason: str, found: Walk, *, is_folder: bool) -> None:
    """Tell of it, unless somebody has said that it is to be left out."""
    if reason != _IGNORED and path.rpartition("/")[2] not in _IGNORE_FILES:
        found.skipped.append((_shown(path) + ("/" if is_folder else ""), reason))


def _take_file(root: Path, path: str, found: Walk) -> None:
    try:
        path.encode()
    except UnicodeEncodeError:
        found.skipped.append((_shown(path), "its name is not UTF-8"))
        return
    try:
        seen = os.lstat(root / path)
    except FileNotFoundError:
        return
    except OSError as error:
        found.skipped.append((path, f"cannot be read: {error.strerror}"))
        found.unseen.append(path)
        return
    if stat.S_ISREG(seen.st_mode):
        found.files.append(Found(path, seen.st_size, seen.st_mtime_ns))
    else:
        is_link = stat.S_ISLNK(seen.st_mode)
        found.skipped.append((path, "a symbolic link" if is_link else "not a regular file"))


def _is_never(folder: Path) -> bool:
    if folder.name in _NEVER_NAMES:
        return True
    return any(os.path.isfile(folder / name) for name in _NEVER_HOLDING)


def _rules_outside(root: Path) -> Iterator[Rule]:
    # Within `.git` links are the business of git.
    yield from parse_rules(_text(Path(os.path.realpath(root / GIT / "info")), "exclude"))


def _rules_in(root: Path, folder: str) -> Iterator[Rule]:
    for name in _IGNORE_FILES:
        text = _text(root, f"{folder}/{name}" if folder else name)
        yield from parse_rules(text, folder, own=name == OWN_IGNORE)


def _text(root: Path, path: str) -> str:
    """An ignore file, if it is one; like git, a link is not followed."""
    try:
        descriptor = open_file(root, path)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return ""
            return file.read(_LARGEST_IGNORE_FILE).decode("utf-8", "surrogateescape")
    except OSError:
        return ""


def _shown(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
