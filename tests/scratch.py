"""Folders for tests that make hundreds of stores or indexes and are not about keeping them.

They lie in memory where there is room for them, so that nobody waits for a disk. What is about
durability belongs into `tmp_path`.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from lamina.stores.filesystem import is_in_memory, kind_of

IN_MEMORY = Path("/dev/shm")
ROOM = 1 << 30


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """An empty folder, removed afterwards."""
    with TemporaryDirectory(dir=_around(), prefix="lamina-test-") as folder:
        yield Path(folder)


@cache
def _around() -> Path | None:
    if not IN_MEMORY.is_dir() or not is_in_memory(kind_of(IN_MEMORY)):
        return None
    return IN_MEMORY if shutil.disk_usage(IN_MEMORY).free > ROOM else None
