"""A workspace: the folder that paths are relative to, and out of which none of them leads."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from lamina.durable import is_path
from lamina.errors import InvalidInputError, NotFoundError

_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Measured:
    """A file as it is now."""

    path: str
    """Relative to the workspace, with `/` between its parts."""
    size: int
    sha256: str


class Workspace:
    """One folder."""

    def __init__(self, folder: str | Path) -> None:
        if not isinstance(folder, str | Path) or not is_path(folder):
            raise InvalidInputError(f"`workspace` must be a folder, not {folder!r:.60}")
        self.folder = Path(folder)

    def measure(self, path: str | Path) -> Measured:
        """Size and checksum of a file in the workspace.

        Raises:
            InvalidInputError: The path leads out of the workspace, or to something that is no file.
            NotFoundError: There is no such file, or a link stands in its place.
        """
        # With it comes all that follows files, which listing artifacts does without.
        from lamina.sources.beneath import open_file

        name = self.named(path)
        try:
            descriptor = open_file(self.folder, name)
        except OSError as error:
            raise NotFoundError(
                f"there is no file {name!r:.120} in the workspace: {error.strerror}",
                remedy="Name a file in it; links are not followed",
            ) from error
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise InvalidInputError(f"`path` is not a file: {name!r:.120}")
            digest, size = hashlib.sha256(), 0
            while chunk := os.read(descriptor, _CHUNK):
                digest.update(chunk)
                size += len(chunk)
        finally:
            os.close(descriptor)
        return Measured(name, size, digest.hexdigest())

    def named(self, path: str | Path) -> str:
        """The one way to write a path in this workspace."""
        if not isinstance(path, str | Path) or not str(path) or not is_path(path):
            raise InvalidInputError(f"`path` must be the path of a file, not {path!r:.60}")
        given = Path(path)
        if given.is_absolute():
            if not given.is_relative_to(self.folder.absolute()):
                raise _outside(path)
            given = given.relative_to(self.folder.absolute())
        parts = [part for part in PurePosixPath(given.as_posix()).parts if part != "."]
        if not parts or ".." in parts:
            raise _outside(path)
        return "/".join(parts)


def _outside(path: object) -> InvalidInputError:
    return InvalidInputError(
        f"`path` leads out of the workspace: {str(path)!r:.120}",
        remedy="Name a file below the workspace, relative to it",
    )
