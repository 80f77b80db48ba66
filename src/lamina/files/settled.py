"""What the last sync left: how far the store had come, and which folders were in order then.

A folder that looks as it did, of which the store has nothing new, is not looked into again: so many
agents cost one look at each folder, and not one at each of their files.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from lamina.durable import replace_file
from lamina.files.layout import FILES, FOLDERS, STATE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from lamina.files.layout import Place

_BOOK: Final = "cursor"


@dataclass(frozen=True, slots=True)
class Settled:
    """What a folder of files knows of itself."""

    store: str | None = None
    """Whose files they are, as far as that is known."""
    cursor: str | None = None
    places: Mapping[str, str] = field(default_factory=dict)
    """The look of each folder, by its scope; empty where something is left to do."""


def read_settled(root: Path) -> Settled:
    """What the last sync left; nothing, where nothing can be read."""
    try:
        found = json.loads((root / STATE / _BOOK).read_text(encoding="utf-8"))
        places = {str(scope): str(look) for scope, look in found["places"].items()}
        return Settled(str(found["store"]), str(found["cursor"]), places)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Settled()


def write_settled(root: Path, settled: Settled) -> None:
    """Keep it for the next sync."""
    said = {
        "store": settled.store, "cursor": settled.cursor, "places": dict(settled.places)
    }  # fmt: skip
    replace_file(root / STATE / _BOOK, [json.dumps(said)])


def look_of(root: Path, place: Place) -> str:
    """What changes when anything in the folder of a place does that is of interest."""
    seen = hashlib.sha256()
    for line in _looked(os.path.join(root, place.folder), ""):
        seen.update(line.encode("utf-8", "surrogateescape"))
    return seen.hexdigest()[:24]


def _looked(folder: str, below: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        yield f"{below} {error.errno}\n"
        return
    for entry in found:
        if not below and not _is_of_interest(entry.name):
            continue
        try:
            like = entry.stat(follow_symlinks=False)
        except OSError as error:
            yield f"{below}/{entry.name} {error.errno}\n"
            continue
        path = f"{below}/{entry.name}"
        if stat.S_ISDIR(like.st_mode):
            yield f"{path}/\n"
            yield from _looked(entry.path, path)
        else:
            kind = stat.S_IFMT(like.st_mode)
            yield f"{path} {kind} {like.st_ino} {like.st_size} {like.st_mtime_ns}\n"


def _is_of_interest(name: str) -> bool:
    if name in FILES or name in FOLDERS:
        return True
    # Pieces of an interrupted run.
    return any(name.startswith(f".{file}.") for file in FILES)
