"""Which files an import means: one note, or the notes of a folder or a vault.

Files are named from the top of their vault, else of their git work tree, else from the folder that
was named, or the one around it that was imported before. What a folder holds is walked as for
indexing: no links, nothing hidden or ignored.
"""

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from lamina.errors import InvalidInputError
from lamina.sources.reading import UnreadableError, read_document
from lamina.sources.roots import existing
from lamina.sources.walking import git_root, walk

VAULT: Final = ".obsidian"
ENDINGS: Final = (".md", ".markdown")
_DRAWING: Final = ".excalidraw.md"
_TEMPLATES: Final = "templates"
_SETTINGS_SIZE: Final = 100_000


@dataclass(frozen=True, slots=True)
class Pages:
    """The notes that are meant, by their paths from the base."""

    base: Path
    files: tuple[str, ...]
    start: str | None = None
    """The folder whose vanished notes are forgotten; `None` where one file was named."""
    skipped: tuple[tuple[str, str], ...] = ()

    @property
    def folders(self) -> frozenset[str]:
        """The folders that notes lie in, relative to the base, without the base itself."""
        within = (str(one) for file in self.files for one in PurePosixPath(file).parents)
        return frozenset(within) - {"."}

    def is_gone(self, file: str) -> bool:
        """Whether a note that was here before is no longer, so far as anyone can see."""
        if self.start is None or not (file.startswith(f"{self.start}/") or not self.start):
            return False
        try:
            os.lstat(self.base / file)
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError:
            return False
        return False


def is_note(path: str | Path) -> bool:
    """Whether a path is called like a file of Markdown."""
    return os.fspath(path).lower().endswith(ENDINGS)


def find_pages(path: str | Path, is_known: Callable[[Path], bool]) -> Pages:
    """The notes at or below a path; `is_known` says whether a folder was imported before.

    Raises:
        InvalidInputError: There is no such path, or it is no note and holds none.
    """
    target = existing(path)
    folder = target if target.is_dir() else target.parent
    base = _vault(folder) or git_root(folder) or _outermost(folder, is_known)
    start = "" if target == base else target.relative_to(base).as_posix()
    if target.is_dir():
        return _in_folder(base, start)
    if not is_note(target):
        raise InvalidInputError(
            f"`path` is not a file of Markdown: {target.name!r:.200}",
            remedy=f"Its name should end in {' or '.join(ENDINGS)}",
        )
    return Pages(base, (start,))


def _vault(folder: Path) -> Path | None:
    return next((one for one in (folder, *folder.parents) if (one / VAULT).is_dir()), None)


def _outermost(folder: Path, is_known: Callable[[Path], bool]) -> Path:
    """The largest folder around this one that was imported before: a part is of the whole."""
    return next((one for one in (*reversed(folder.parents), folder) if is_known(one)), folder)


def _in_folder(base: Path, start: str) -> Pages:
    walked = walk(base, start)
    skipped = [(file, reason) for file, reason in walked.skipped if is_note(file)]
    templates = _template_folders(base)
    files = []
    for file in (found.file for found in walked.files if is_note(found.file)):
        reason = _why_not(file, templates)
        if reason:
            skipped.append((file, reason))
        else:
            files.append(file)
    return Pages(base, tuple(files), start, tuple(skipped))


def _why_not(file: str, templates: Iterable[str]) -> str:
    if file.lower().endswith(_DRAWING):
        return "a drawing"
    return "a template" if file.startswith(tuple(templates)) else ""


def _template_folders(base: Path) -> tuple[str, ...]:
    """Where a vault keeps its templates; notes elsewhere may be called so and be notes."""
    if not (base / VAULT).is_dir():
        return ()
    try:
        found = read_document(base, f"{VAULT}/templates.json", most=_SETTINGS_SIZE, now_ns=0)
        folder = json.loads(found.text)["folder"]
    except (UnreadableError, ValueError, KeyError, TypeError, RecursionError):
        folder = ""
    named = folder.strip("/") if isinstance(folder, str) else ""
    return tuple(f"{one}/" for one in (named, _TEMPLATES, _TEMPLATES.capitalize()) if one)
