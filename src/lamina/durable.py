"""Files that are there whole or not at all, also after a power cut."""

import errno
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_NO_LINKS: Final = frozenset((errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK))
"""What file systems say that know no second name for a file, as those of memory sticks."""
_NOT_OURS: Final = frozenset((errno.EACCES, errno.EPERM, errno.EROFS, errno.EINVAL))


def replace_file(path: Path, pieces: Iterable[str], *, mode: int = 0o600) -> None:
    """Write a new file, sync it, and give it the name of the old one.

    Until the last step the old file stays as it was; a failure leaves nothing behind.
    """
    fresh = path.with_name(f".{path.name}.{os.urandom(6).hex()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(fresh, flags, mode), "w", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def place_new(fresh: Path, path: Path) -> None:
    """Give a finished and synced file its name, unless something has that name already.

    Raises:
        FileExistsError: The name is taken; both files stay as they were.
    """
    try:
        os.link(fresh, path, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        fresh.rename(path)
    else:
        fresh.unlink()
    sync_folder(path.parent)


def keep_beside(path: Path, second: Path) -> None:
    """Give a file a second name that stays when something else takes its first."""
    try:
        os.link(path, second, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        import shutil  # slow to load, and needed nowhere else

        shutil.copyfile(path, second, follow_symlinks=False)
        shutil.copymode(path, second)
        sync_file(second)
    sync_folder(second.parent)


def sync_file(path: Path) -> None:
    """Wait until what was written to a file is on the disk."""
    handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(folder: Path, *, mode: int = 0o700) -> None:
    """Make a directory, and those above it that are missing, so that all their names last."""
    folder.mkdir(mode=mode, parents=True, exist_ok=True)
    device = folder.stat().st_dev
    # All of them: what is there already, another process may have made a moment ago.
    for parent in folder.parents:
        try:
            sync_folder(parent)
        except OSError as error:
            # One that we may not even read is none that we made.
            if error.errno not in _NOT_OURS:
                raise
        if parent.stat().st_dev != device:
            break


def sync_folder(folder: Path) -> None:
    """Make names that were added or replaced in a directory durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def is_path(path: str | Path) -> bool:
    """Whether a system could take it: neither NUL nor half a character."""
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False
