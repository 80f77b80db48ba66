"""The ledger of erased records: a file beside the data that import and restore consult.

It lies outside the database so that an older copy of the database, put back, still meets it. A line
is an opaque id and a time; there is nothing in it to erase.
"""

import json
import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from lamina.core.ids import RecordId
from lamina.core.instants import to_text
from lamina.errors import StoreError


class Ledger:
    """An append-only file of tombstones; safe with many processes."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, ids: Iterable[RecordId], at: datetime) -> None:
        """Write tombstones and wait until they are on the disk."""
        lines = "".join(
            json.dumps({"erased": record_id, "at": to_text(at)}) + "\n" for record_id in ids
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
        except OSError as error:
            raise StoreError(
                f"the ledger of erased records cannot be written: {error.strerror}",
                remedy=f"Check {self._path}; nothing was erased",
            ) from error

    def known(self, ids: Iterable[RecordId]) -> frozenset[RecordId]:
        """Those of the ids that have a tombstone."""
        wanted = set(ids)
        if not self._path.exists():
            return frozenset()
        if not self._path.is_file():
            raise StoreError(f"{self._path} is not a file", remedy="Put the ledger back there")
        lines = self._path.read_text(encoding="utf-8", errors="replace").splitlines()
        found = (_erased_id(line) for line in lines)
        return frozenset(record_id for record_id in found if record_id in wanted)

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


def _erased_id(line: str) -> RecordId | None:
    """The id on a line; a torn line names nobody."""
    try:
        return RecordId(json.loads(line)["erased"])
    except (ValueError, KeyError, TypeError):
        return None
