"""Opening what lies in a tree, and nothing that a link in it leads to.

A path is looked up one part after the other, each from the folder that was opened before it. So it
does not matter what takes the place of a folder between the moment it is listed and now.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_FOLDER: Final = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A folder that may be passed through need not be one that may be listed.
_PASSED: Final = _FOLDER | getattr(os, "O_PATH", os.O_RDONLY)
# Not blocking, because a pipe may have taken the place of the file since it was listed.
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@contextmanager
def open_folder(root: Path, path: str) -> Iterator[int]:
    """The descriptor of a folder to be listed, by its path from the root; empty for the root."""
    descriptor = _opened(root, path, os.O_RDONLY | _FOLDER)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def open_file(root: Path, path: str) -> int:
    """The descriptor of a file to be read, by its path from the root; the caller closes it.

    Raises:
        OSError: It is not there, it is a link, or a link leads to it.
    """
    return _opened(root, path, _FILE)


def _opened(root: Path, path: str, flags: int) -> int:
    parts = path.split("/") if path else []
    here = os.open(root, _PASSED if parts else flags)
    for number, part in enumerate(parts, start=1):
        try:
            below = os.open(part, flags if number == len(parts) else _PASSED, dir_fd=here)
        finally:
            os.close(here)
        here = below
    return here
