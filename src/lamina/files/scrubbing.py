"""Where the files of a store lie, and what is left in them of something that was erased."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lamina.core.principal import Surface
from lamina.errors import LaminaError
from lamina.files.bases import WAS
from lamina.files.layout import FILES, KEPT, SESSIONS, STATE
from lamina.files.reading import Reader
from lamina.files.sections_page import FRAME
from lamina.stores.base import ScrubReport
from lamina.stores.sqlite import DATABASE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.core.draft import Draft
    from lamina.memory import Memory

_FOLDER: Final = "folder:"
_TELLING: Final = 16
"""So many bytes in a row are no accident; of shorter pieces it takes several."""
_SEVERAL: Final = 3


def note_folder(mem: Memory, folder: Path) -> None:
    """Keep in mind that files of the store lie in a folder elsewhere: erasing has to go there."""
    if folder == Path(mem.store.location).parent and Path(mem.store.location).name == DATABASE:
        return
    scope = mem.principal.common
    key = _FOLDER + hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    where = {"layer": "now", "scope": scope.path, "kind": FRAME, "key": key}
    if Reader(mem).current(where, 1):
        return
    draft: Draft = {
        "layer": "now", "kind": FRAME, "key": key, "text": "where files of this store lie",
        "data": {"folder": str(folder)},
    }  # fmt: skip
    path = mem.path_for(Surface.FILES)
    path.commit(path.puts([draft], scope))


def scrub(mem: Memory, root: Path | None, probes: Sequence[bytes]) -> ScrubReport:
    """Write the files in every folder anew, and remove copies that hold what was erased."""
    from lamina.files.keeper import Files

    files = size = 0
    residue = []
    for folder in dict.fromkeys(_folders(mem, root)):
        try:
            Files(mem, folder).sync()
        except (LaminaError, OSError) as error:
            residue.append(f"{folder}: its files could not be written anew: {error}")
        for stale in (folder / STATE).rglob(f"*{WAS}"):
            stale.unlink(missing_ok=True)
        for path in _copies(folder):
            content = path.read_bytes()
            files, size = files + 1, size + len(content)
            if _tells(content, probes):
                path.unlink()
    return ScrubReport(files, size, tuple(residue))


def showing(mem: Memory, root: Path | None, probes: Sequence[bytes]) -> tuple[str, ...]:
    """The files in every folder that hold what is to be erased; nothing is touched."""
    return tuple(
        str(path)
        for folder in dict.fromkeys(_folders(mem, root))
        for path in (*_pages(folder), *_copies(folder))
        if _tells(path.read_bytes(), probes)
    )


def _folders(mem: Memory, root: Path | None) -> Iterator[Path]:
    if root is not None and (root / STATE).is_dir():
        yield root
    for record in Reader(mem).current({"layer": "now", "kind": FRAME}):
        folder = record.data.get("folder")
        # Only where a sync left its mark: anybody may have written such a record.
        if str(record.key).startswith(_FOLDER) and isinstance(folder, str):
            with suppress(OSError, ValueError):
                if (Path(folder) / STATE).is_dir():
                    yield Path(folder)


def _pages(folder: Path) -> Iterator[Path]:
    """The files that Lamina writes, which lie among others."""
    for path in sorted(folder.rglob("*")):
        is_ours = path.name in FILES or path.parent.name == SESSIONS
        inside = path.relative_to(folder).parts[0]
        if is_ours and inside not in (STATE, KEPT) and path.is_file() and not path.is_symlink():
            yield path


def _copies(folder: Path) -> Iterator[Path]:
    for path in sorted((folder / KEPT).rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path


def _tells(content: bytes, probes: Sequence[bytes]) -> bool:
    """Whether something holds what was erased, and not merely a word of it."""
    found = [probe for probe in probes if probe in content]
    return len(found) >= _SEVERAL or any(len(probe) >= _TELLING for probe in found)
