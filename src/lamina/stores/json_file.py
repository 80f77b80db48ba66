"""The JSON file store: the ephemeral engine, written out as one readable file.

One process at a time (it holds a lock), durable when flushed; both are declared. It loads on first
use and saves itself a moment after a change: the whole file, atomically. How often records were of
use is saved along with the next change, or at the end. Notices of reads and searches are not part
of it and end with the process.
"""

import fcntl
import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from lamina.core import canonical
from lamina.core.changes import Action, Commit, Erase, Event, Receipt
from lamina.core.ids import RecordId
from lamina.core.indexing import index_terms
from lamina.core.instants import from_text, to_text
from lamina.core.layers import Durability, is_indexed, place_of
from lamina.core.record import from_json, to_json
from lamina.core.scope import stream_of
from lamina.core.sealed import Sealed
from lamina.core.usage import Usage
from lamina.durable import make_folder, replace_file
from lamina.errors import (
    LaminaError,
    StoreDamagedError,
    StoreError,
    StoreUnavailableError,
    StoreVersionError,
)
from lamina.stores import receipts
from lamina.stores.base import WHOLE, Capability, ScrubReport
from lamina.stores.contents import Contents, Entry, Stream
from lamina.stores.ephemeral import EphemeralStore
from lamina.stores.ledger import Ledger
from lamina.stores.looking import look

FORMAT: Final = 1
_DEBOUNCE_SECONDS: Final = 0.5


class JsonFileStore(EphemeralStore):
    """Records in one JSON file."""

    durability = Durability.EPHEMERAL

    def __init__(self, path: Path, *, debounce_seconds: float = _DEBOUNCE_SECONDS) -> None:
        super().__init__()
        self._path = path
        self._debounce = debounce_seconds
        self._ledger = Ledger(path.with_name(path.name + ".erased"))
        self._timer: threading.Timer | None = None
        self._unsaved = False
        self._uncounted = False
        self._pid = os.getpid()
        self._held: int | None = _lock(path)
        try:
            self._contents = _load(path)
        except BaseException:
            os.close(self._held)
            raise

    @property
    def capabilities(self) -> frozenset[Capability]:
        return WHOLE | {Capability.DURABLE, Capability.SCRUBBED}

    @property
    def location(self) -> str:
        return str(self._path)

    def commit(self, commit: Commit) -> Receipt:
        if self._held is None or self._pid != os.getpid():
            raise StoreError(
                "the store is closed, or belongs to the process this one was forked from",
                remedy="Open it again with lamina.open()",
            )
        return super().commit(commit)

    def tombstones(self, ids: Any) -> frozenset[RecordId]:
        with self._lock:
            # The line comes first; where a crash came between, the record is still there.
            return self._ledger.known(ids) - self._contents.entries.keys()

    def scrub(self, erased: Sequence[bytes]) -> ScrubReport:
        self.flush()
        with self._lock:
            written = canonical.dumps(_dump(self._contents)).encode()
        explained = {number for number, needle in enumerate(erased) if needle in written}
        return look(self._path.parent.glob(self._path.name + "*"), erased).report(explained)

    def flush(self) -> None:
        if self._pid != os.getpid():
            # A forked child holds a copy from when it began; only the parent's goes on.
            return
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._unsaved:
                self._save()
            elif self._uncounted:
                # Whoever only reads is not told that a count could not be saved.
                with suppress(StoreError):
                    self._save()

    def close(self) -> None:
        with self._lock:
            if self._held is not None:
                self.flush()
                os.close(self._held)
                self._held = None

    def _save(self) -> None:
        _save(self._path, canonical.dumps(_dump(self._contents)))
        self._unsaved = self._uncounted = False

    def _counted(self) -> None:
        self._uncounted = True

    def _accepted(self, commit: Commit) -> None:
        erased = [change.id for change in commit.changes if isinstance(change, Erase)]
        if erased:
            self._ledger.add(erased, commit.at)

    def _changed(self) -> None:
        self._unsaved = True
        if self._timer is None:
            # Not a daemon: the process waits for it, so that a change is saved without a close.
            self._timer = threading.Timer(self._debounce, self.flush)
            self._timer.start()


def _lock(path: Path) -> int:
    """Hold the file for this process; the operating system lets go when it dies."""
    try:
        make_folder(path.parent)
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        held = os.open(path.with_name(path.name + ".lock"), flags, 0o600)
    except OSError as error:
        raise StoreError(f"{path} cannot be used: {error.strerror}") from error
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(held)
        raise StoreUnavailableError(
            f"{path} is in use by another process",
            remedy="A JSON file serves one process at a time; use a directory to share memory",
        ) from None
    return held


def _save(path: Path, text: str) -> None:
    try:
        replace_file(path, [text, "\n"])
    except OSError as error:
        raise StoreError(
            f"{path} cannot be saved: {error.strerror}",
            remedy="Free some space or check its mode; the last saved state is intact",
        ) from error


def _load(path: Path) -> Contents:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Contents()
    except (OSError, UnicodeDecodeError) as error:
        raise StoreDamagedError(f"{path} cannot be read: {error}") from error
    try:
        value = canonical.loads(text, "file")
        _check_format(path, value["format"])
        return _restore(value)
    except StoreVersionError:
        raise
    except (LaminaError, KeyError, TypeError, ValueError, IndexError) as error:
        raise StoreDamagedError(
            f"{path} is damaged or is not a Lamina store",
            remedy="Keep the file and restore from an export or backup",
        ) from error


def _check_format(path: Path, found: int) -> None:
    if found > FORMAT:
        raise StoreVersionError(
            f"{path} has format {found}; this Lamina knows {FORMAT}",
            remedy="Upgrade Lamina; the file was not touched",
        )


def _dump(contents: Contents) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "records": [
            {
                "versions": [to_json(version) for version in entry.versions.values()],
                "salts": {str(rev): salt.hex() for rev, salt in entry.salts.items()},
                "sealed": [
                    [s.ref, s.kind, s.nonce.hex(), s.box.hex()] for s in entry.sealed.values()
                ],
            }
            for entry in contents.entries.values()
        ],
        "streams": {
            name: [_event_out(event) for event in stream.events]
            for name, stream in contents.streams.items()
        },
        "receipts": [
            [owner, key, request, receipts.to_text(receipt)]
            for (owner, key), (request, receipt) in contents.receipts.items()
        ],
        "settings": contents.settings,
        "usage": {
            record: [[root, use.hits, to_text(use.last)] for root, use in known.items()]
            for record, known in contents.usage.items()
        },
    }


def _restore(value: dict[str, Any]) -> Contents:
    contents = Contents(settings=dict(value["settings"]))
    for name, events in value["streams"].items():
        contents.streams[name] = Stream(events=[_event_in(name, row) for row in events])
    for held in value["records"]:
        versions = [from_json(row) for row in held["versions"]]
        sealed = [
            Sealed(ref, kind, bytes.fromhex(nonce), bytes.fromhex(box))
            for ref, kind, nonce, box in held["sealed"]
        ]
        salts = {int(rev): bytes.fromhex(salt) for rev, salt in held["salts"].items()}
        entry = Entry({v.rev: v for v in versions}, salts, {one.ref: one for one in sealed})
        newest = entry.newest
        contents.entries[newest.id] = entry
        if place := place_of(newest):
            contents.places[place] = newest.id
        if is_indexed(newest):
            stream = contents.streams[stream_of(newest.scope)]
            stream.add(newest.id, index_terms(newest, newest.key))
    for owner, key, request, receipt in value["receipts"]:
        contents.receipts[owner, key] = (request, receipts.from_text(receipt))
    for record, known in value.get("usage", {}).items():
        contents.usage[record] = {root: Usage(n, from_text(at)) for root, n, at in known}
    return contents


def _event_out(event: Event) -> list[Any]:
    return [
        event.seq, event.tx, event.record, event.rev, event.action.value, event.actor,
        event.surface, to_text(event.at), event.digest, event.hash,
    ]  # fmt: skip


def _event_in(stream: str, row: list[Any]) -> Event:
    seq, tx, record, rev, action, actor, surface, at, digest, chained = row
    return Event(
        stream=stream, seq=seq, tx=tx, record=record, rev=rev, action=Action(action), actor=actor,
        surface=surface, at=from_text(at), digest=digest, hash=chained,
    )  # fmt: skip
