"""Reading one file as text, or saying why not. Nothing here trusts what a name promises."""

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lamina.core import settings
from lamina.sources.beneath import open_file
from lamina.sources.languages import has_definitions, language_of
from lamina.stores.base import Store

_CHANGING_NS: Final = 2_000_000_000
"""A file written so shortly ago may be written again without a later time to show for it."""
_PRINTED: Final = frozenset(b"\t\n\r\f\x1b\b")
_MOST_CONTROLS: Final = 0.02
_LONG_LINES: Final = 500
_LARGE: Final = 10_000
_LINKED: Final = (errno.ELOOP, errno.ENOTDIR)
"""What the system says of a link that must not be followed, at the end of a path or within."""
NOT_UTF8: Final = "not UTF-8; read as Latin-1"


@dataclass(frozen=True, slots=True)
class Document:
    """A file as it was read."""

    file: str
    raw: bytes
    text: str
    language: str
    modified_ns: int
    settled: bool
    """Whether its time of change would show another change."""
    note: str = ""


class UnreadableError(Exception):
    """The file is left out; the message says why in a few words."""

    def __init__(self, reason: str, *, known_stands: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.known_stands = known_stands
        """Whether what is known of it should stay, because nobody could look."""


def largest_file(store: Store) -> int:
    """How many bytes a file may have, as was chosen for the store."""
    return int(settings.in_force(store.settings(), settings.LARGEST_FILE))


def read_document(root: Path, file: str, *, most: int, now_ns: int) -> Document:
    """Read a file of at most `most` bytes.

    Raises:
        UnreadableError: It is too large, not text, or cannot be read.
    """
    raw, before, after = _read(root, file, most)
    if len(raw) > most:
        raise UnreadableError(f"larger than {most:,} bytes")
    if _is_binary(raw):
        raise UnreadableError("not text")
    text, note = _decoded(raw)
    language = language_of(file, text[:100].partition("\n")[0])
    if _is_generated(text, language):
        raise UnreadableError("made by a machine: its lines are endless")
    still = before.st_mtime_ns == after.st_mtime_ns and before.st_size == after.st_size
    settled = still and now_ns - after.st_mtime_ns > _CHANGING_NS
    return Document(file, raw, text, language, before.st_mtime_ns, settled, note)


def _read(root: Path, file: str, most: int) -> tuple[bytes, os.stat_result, os.stat_result]:
    try:
        descriptor = open_file(root, file)
        with open(descriptor, "rb") as opened:
            before = os.fstat(descriptor)
            if not stat.S_ISREG(before.st_mode):
                raise UnreadableError("not a regular file")
            return opened.read(most + 1), before, os.fstat(descriptor)
    except FileNotFoundError:
        raise UnreadableError("gone while it was looked at") from None
    except OSError as error:
        if error.errno in _LINKED:
            raise UnreadableError("replaced by a link while it was looked at") from None
        reason = f"cannot be read: {error.strerror}"
        raise UnreadableError(reason, known_stands=True) from None


def _is_binary(raw: bytes) -> bool:
    if b"\0" in raw:
        return True
    controls = sum(raw.count(byte) for byte in range(32) if byte not in _PRINTED)
    return controls > len(raw) * _MOST_CONTROLS


def _decoded(raw: bytes) -> tuple[str, str]:
    try:
        return raw.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        return raw.decode("latin-1"), NOT_UTF8


def _is_generated(text: str, language: str) -> bool:
    """Minified code and data: no person wrote it, and none will ask for it."""
    if len(text) < _LARGE or not (has_definitions(language) or language in ("json", "css")):
        return False
    return len(text) / (text.count("\n") + 1) > _LONG_LINES
