"""A new file takes the place of an old one, whole, and nothing written meanwhile is lost."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from lamina.files.bases import WAS, write_bases

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.files.bases import Bases
    from lamina.files.folder import Folder, Stamp

_PART: Final = ".part"


def swept(here: Folder, there: Folder, file: str) -> None:
    """Clear away what an interrupted run left beside a file."""
    for name in here.names():
        if not name.startswith(f".{file}."):
            continue
        if name.endswith(_PART):
            here.remove(name)
        else:
            # It was exchanged for the new file, or is the new file itself: it is looked at again.
            here.rename(name, f"{file}{WAS}", to=there)


def exchanged(
    here: Folder,
    there: Folder,
    file: str,
    content: bytes,
    booked: Callable[[Stamp | None], Bases],
    *,
    is_new: bool,
) -> bool:
    """Put a whole new file in the place of the old one; whether that came about.

    What is kept of the file besides is written down first: after a crash in between, the new file
    is known for what it is.
    """
    fresh, stamp = _written(here, file, content)
    write_bases(there, file, booked(stamp))
    return _placed(here, there, file, fresh, is_new=is_new)


def _written(here: Folder, file: str, content: bytes) -> tuple[str, Stamp | None]:
    """A whole new file beside the old one, under a name that says that it may be thrown away."""
    fresh = f".{file}.{os.urandom(6).hex()}"
    here.write_new(f"{fresh}{_PART}", content)
    return fresh, here.stamp(f"{fresh}{_PART}")


def _placed(here: Folder, there: Folder, file: str, fresh: str, *, is_new: bool) -> bool:
    """Let the new file take the name of the old one, which stays for a while under another.

    An editor may have saved, or be about to, since the old one was read: it is looked at again.
    """
    # From here on what bears this name may be the old file, so it is not thrown away unseen.
    here.rename(f"{fresh}{_PART}", fresh)
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
