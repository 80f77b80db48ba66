"""What sort of thing a path holds that is to be imported."""

import os
import stat
from enum import Enum, auto
from pathlib import Path
from typing import Final

from lamina.errors import InvalidInputError
from lamina.importing.pages import ENDINGS, is_note

STANDARD_INPUT: Final = "-"
_HEAD: Final = 65_536
_LINES: Final = 20


class Sort(Enum):
    """What there is to import."""

    LINES = auto()
    """JSON lines that export wrote."""
    NOTES = auto()
    """A Markdown file, a folder of them, or a vault."""


def sort_of(path: str) -> Sort:
    """What a path holds, by its name and a look at it; a pipe is read as JSON lines.

    Raises:
        InvalidInputError: There is nothing, or nothing that can be imported.
    """
    if path == STANDARD_INPUT:
        return Sort.LINES
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name cannot be one"
        raise InvalidInputError(
            f"{path:.200} cannot be read: {reason}", remedy="Check the path, its owner and its mode"
        ) from error
    if stat.S_ISDIR(mode) or is_note(path):
        return Sort.NOTES
    if stat.S_ISREG(mode) and not _looks_like_lines(Path(path)):
        raise InvalidInputError(
            f"{path:.200} holds neither Markdown nor JSON lines that export wrote",
            remedy=f"Name a file that ends in {' or '.join(ENDINGS)}, a folder of them, or an"
            " export",
        )
    return Sort.LINES


def _looks_like_lines(path: Path) -> bool:
    """Whether one of the first lines is an object, or there are none."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return True
    first = [line.lstrip() for line in head.splitlines() if line.strip()][:_LINES]
    return not first or any(line.startswith(b"{") for line in first)
