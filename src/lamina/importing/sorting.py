"""What sort of thing a path holds that is to be imported."""

import os
import stat
from enum import Enum, auto
from typing import Final

from lamina.errors import InvalidInputError
from lamina.importing.pages import is_note

STANDARD_INPUT: Final = "-"


class Sort(Enum):
    """What there is to import."""

    STREAM = auto()
    """A file or a pipe whose content tells what it is."""
    NOTES = auto()
    """A Markdown file, a folder of them, or a vault."""


def sort_of(path: str) -> Sort:
    """What a path holds, by its name and whether it is a folder.

    Raises:
        InvalidInputError: There is nothing of that name.
    """
    if path == STANDARD_INPUT:
        return Sort.STREAM
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name cannot be one"
        raise InvalidInputError(
            f"{path:.200} cannot be read: {reason}", remedy="Check the path, its owner and its mode"
        ) from error
    if stat.S_ISDIR(mode) or is_note(path):
        return Sort.NOTES
    return Sort.STREAM
