"""A new file takes the place of an old one, whole, and nothing written meanwhile is lost."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lamina.files.bases import WAS

if TYPE_CHECKING:
    from lamina.files.folder import Folder, Stamp


def swept(here: Folder, there: Folder, file: str) -> None:
    """Clear away what an interrupted run left beside a file."""
    for name in here.names():
        if not name.startswith(f".{file}."):
            continue
        if name.endswith(".part"):
            here.remove(name)
        else:
            # It was exchanged for the new file, or is the new file itself: it is looked at again.
            here.rename(name, f"{file}{WAS}", to=there)


def written(here: Folder, file: str, content: bytes) -> tuple[str, Stamp | None]:
    """A whole new file beside the old one."""
    fresh = f".{file}.{os.urandom(6).hex()}"
    here.write_new(f"{fresh}.part", content)
    here.rename(f"{fresh}.part", fresh)
    return fresh, here.stamp(fresh)


def placed(here: Folder, there: Folder, file: str, fresh: str, *, is_new: bool) -> bool:
    """Let the new file take the name of the old one, which stays for a while under another.

    An editor may have saved, or be about to, since the old one was read: it is looked at again.
    """
    try:
        if is_new:
            here.link(fresh, file)
            here.remove(fresh)
        elif here.swap(fresh, file):
            here.rename(fresh, f"{file}{WAS}", to=there)
        else:
            here.link(file, f"{fresh}.old")
            here.rename(fresh, file)
            here.rename(f"{fresh}.old", f"{file}{WAS}", to=there)
    except (FileExistsError, FileNotFoundError):
        here.remove(fresh)
        return False
    here.sync()
    return True
