"""Files that are there whole or not at all, also after a power cut."""

import os
from collections.abc import Iterable
from pathlib import Path


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


def sync_folder(folder: Path) -> None:
    """Make names that were added or replaced in a directory durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
