"""The ledger of erased records: a file beside the data that import and restore consult.

It lies outside the database so that an older copy of the database, put back, still meets it. A line
is an opaque id and a time; there is nothing in it to erase.
"""

import errno
import json
import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

from lamina.core.ids import RecordId
from lamina.core.instants import to_text
from lamina.durable import sync_folder
from lamina.errors import StoreError, StoreFullError


class Ledger:
    """An append-only file of tombstones; safe with many processes."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, ids: Iterable[RecordId], at: datetime) -> None:
        """Write tombstones and wait until they are on the disk."""
        self.take(dict.fromkeys(ids, to_text(at)))

    def take(self, tombstones: Mapping[RecordId, str]) -> None:
        """Write tombstones, each with the time when it was made, and wait for the disk."""
        if not tombstones:
            return
        lines = "".join(
            json.dumps({"erased": record_id, "at": at}) + "\n"
            for record_id, at in tombstones.items()
        )
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            handle = os.open(self._path, flags, 0o600)
            try:
                # A torn last line of a crash must not swallow this one.
                _write_all(handle, ("" if self._ends_cleanly() else "\n").encode() + lines.encode())
                os.fsync(handle)
            finally:
                os.close(handle)
            # Always: whoever made the file may have died before its name was on the disk.
            sync_folder(self._path.parent)
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            raise (StoreFullError if full else StoreError)(
                f"the ledger of erased records cannot be written: {error.strerror}",
                remedy=f"Check {self._path}; nothing was erased",
            ) from error

    def known(self, ids: Iterable[RecordId]) -> frozenset[RecordId]:
        """Those of the ids that have a tombstone."""
        wanted = set(ids)
        return frozenset(record_id for record_id in self.tombstones() if record_id in wanted)

    def tombstones(self) -> dict[RecordId, str]:
        """Every id that was erased, with the time."""
        return dict(found for line in self._lines() if (found := _tombstone(line)) is not None)

    def unreadable(self) -> int:
        """How many lines name nobody, such as one that a crash has torn."""
        return sum(1 for line in self._lines() if line and _tombstone(line) is None)

    def _lines(self) -> list[str]:
        if not self._path.exists():
            return []
        if not self._path.is_file():
            raise StoreError(f"{self._path} is not a file", remedy="Put the ledger back there")
        return self._path.read_text(encoding="utf-8", errors="replace").splitlines()

    def _ends_cleanly(self) -> bool:
        try:
            with self._path.open("rb") as file:
                file.seek(0, os.SEEK_END)
                if file.tell() == 0:
                    return True
                file.seek(-1, os.SEEK_END)
                return file.read(1) == b"\n"
        except FileNotFoundError:
            return True


def _write_all(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]


def _tombstone(line: str) -> tuple[RecordId, str] | None:
    """The id and time on a line; a torn line names nobody."""
    try:
        said = json.loads(line)
        return RecordId(str(said["erased"])), str(said.get("at", ""))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
