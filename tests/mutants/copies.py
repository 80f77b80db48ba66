"""Copies of the source with bugs in them, compiled, so that no process has to do it again."""

import compileall
import importlib.util
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from tests.meta.tree import SOURCE


def sound_copy(folder: Path) -> Path:
    """A copy of the source as it is, to be copied for each bug."""
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    assert compileall.compile_dir(folder, quiet=2)
    return folder


def broken_copy(sound: Path, folder: Path, edits: Iterable[tuple[str, str, str]]) -> None:
    """A copy of the copy with some edits: in a file, the old text replaced by a new one."""
    shutil.copytree(sound, folder, copy_function=os.link)
    for file, old, new in edits:
        target = folder / file
        text = target.read_text(encoding="utf-8")
        # It is the file of every copy until it is a new one.
        target.unlink()
        target.write_text(text.replace(old, new), encoding="utf-8")
        # What was compiled from it before is worth nothing now, whatever its time says.
        Path(importlib.util.cache_from_source(str(target))).unlink(missing_ok=True)
