"""All files of a store: which of them have to be looked at, and one after the other."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lamina.clock import stopwatch
from lamina.core.canonical import check_text
from lamina.core.principal import Role
from lamina.core.scope import Scope
from lamina.durable import make_folder
from lamina.errors import ConflictError, ForbiddenError, InvalidInputError, LaminaError
from lamina.files.bases import WAS, read_bases
from lamina.files.desk import Ask, Desk, SyncReport
from lamina.files.folder import NotAFileError, opened
from lamina.files.layout import (
    OWN_FOLDERS,
    SESSIONS,
    STATE,
    Place,
    place_of,
    places_in,
    root_of,
)
from lamina.files.memory_page import MemoryPage
from lamina.files.moved import Moved
from lamina.files.scrubbing import note_folder
from lamina.files.sections_page import AGENT, NOW
from lamina.files.sessions import SessionFiles
from lamina.files.settled import Settled, look_of, read_settled, write_settled
from lamina.files.syncing import TwoWay
from lamina.files.tasks_page import TasksPage
from lamina.files.telling import OneWay, Told
from lamina.files.told import INDEX_FILE, ITEMS, LOG, is_items, is_log, items_file, log_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina.files.merging import Sheet
    from lamina.memory import Memory

_SHEETS: Final[tuple[Sheet, ...]] = (AGENT, NOW, MemoryPage(), TasksPage())
_LOCK: Final = "lock"
_LONGEST_WAIT: Final = 10.0
_LOOK_SECONDS: Final = 0.02


class Files:
    """The files of one store in one folder."""

    def __init__(
        self,
        mem: Memory,
        folder: str | Path | None = None,
        *,
        ask: Ask | None = None,
    ) -> None:
        """Say where the files lie: by default in the directory of the store.

        `ask` is asked about a file that lost over a fifth of its entries, with its name and what
        is missing, and says whether that is to be forgotten, or `None` if it cannot tell: then
        nothing is, and it is asked again the next time.
        """
        if mem.principal.role is not Role.ADMIN:
            raise ForbiddenError(
                "only an admin brings files and store together", remedy="Open it with role admin"
            )
        self._mem = mem
        self.root = _root(mem, folder)
        self._ask = ask
        self.patience: float | None = None

    def sync(self) -> SyncReport:
        """Take over what people wrote, and write what the store holds by now."""
        try:
            make_folder(self.root / STATE)
        except OSError as error:
            raise InvalidInputError(
                f"`folder` cannot hold files: {self.root}: {error.strerror}",
                remedy="Name a folder that may be written to",
            ) from None
        desk = Desk(self._mem, self.root, self._ask)
        if self.patience is not None:
            desk.patience = self.patience
        with _alone(self.root / STATE / _LOCK):
            note_folder(self._mem, self.root)
            start = self._mem.cursor()
            before = self._settled()
            moved = Moved(self._mem, before.cursor)
            looks: dict[str, str] = {}
            for place in self._places(desk, moved, before):
                scope = place.scope.path
                looks[scope] = self._settle(desk, place, moved, before.places.get(scope))
            settled = Settled(self._mem.store.identity, start, looks)
            if settled != before:
                # On a full disk the report says so; the next sync looks again.
                with suppress(OSError):
                    write_settled(self.root, settled)
        return desk.report

    def adopt(self) -> SyncReport:
        """Make files of another store those of this one, and sync them."""
        with suppress(FileNotFoundError):
            shutil.rmtree(self.root / STATE)
        return self.sync()

    def wait(self, seconds: float) -> bool:
        """Wait until somebody writes to the store, but no longer than this; whether they did."""
        with self._mem.changes(self._mem.cursor(), follow=True, timeout=seconds) as feed:
            return next(iter(feed), None) is not None

    def _places(self, desk: Desk, moved: Moved, before: Settled) -> list[Place]:
        """The places there are: in the store, in the folder, and those that were there before."""
        found = {place.scope.path: place for place in moved.places()}
        for here in places_in(self.root):
            if isinstance(here, str):
                desk.report.notices.append(f"{here} is no name that Lamina can use, so it is left")
            elif self._is_within(here.scope):
                found.setdefault(here.scope.path, here)
        for scope in before.places:
            with suppress(LaminaError):
                if self._is_within(Scope.of(scope)):
                    found.setdefault(scope, place_of(Scope.of(scope)))
        return sorted(found.values(), key=lambda place: place.folder)

    def _settle(self, desk: Desk, place: Place, moved: Moved, look: str | None) -> str:
        """Bring one place in order; its look if nothing is left to do there, or nothing."""
        now = look_of(self.root, place)
        is_gone = look is not None and not os.path.lexists(self.root / place.folder)
        if now == look and not moved.has(place) and not is_gone:
            return now
        before = desk.state()
        self._place(desk, place, None if is_gone else moved.sessions(place),
                    everything=moved.has(place) or is_gone)  # fmt: skip
        is_settled = desk.state() == before and look_of(self.root, place) == now
        return now if is_settled else ""

    def _settled(self) -> Settled:
        """What the last sync left here."""
        found = read_settled(self.root)
        if found.store not in (None, self._mem.store.identity):
            raise ConflictError(
                f"the files in {self.root} belong to another store",
                remedy="Take them in with `lamina import FOLDER`, or name another folder",
            )
        return found

    def _is_within(self, scope: Scope) -> bool:
        root = self._mem.principal.root
        return root is None or root.contains(scope)

    def _place(
        self, desk: Desk, place: Place, sessions: set[str] | None, *, everything: bool
    ) -> None:
        """Every file of one place; what is wrong with one does not keep the others."""
        jobs: list[tuple[str, Callable[[], None]]] = [
            (sheet.file, TwoWay(desk, place, sheet).sync)
            for sheet in _SHEETS
            if sheet is not AGENT or place.is_agents
        ]
        reader = desk.reader
        told = {
            LOG: Told(lambda: log_file(reader, place), is_ours=is_log),
            ITEMS: Told(lambda: items_file(reader, place), is_ours=is_items),
        }
        jobs += [(file, OneWay(desk, place.folder, file, one).sync) for file, one in told.items()]
        for file, job in jobs:
            self._guarded(desk, place, file, job, everything=everything)
        for folder in OWN_FOLDERS if place.is_agents else ():
            self._guarded(desk, place, folder, partial(self._index, place, folder), everything=True)
        self._guarded(
            desk, place, SESSIONS, partial(self._sessions, desk, place, sessions), everything=True
        )

    def _index(self, place: Place, folder: str) -> None:
        """Take in what people give an agent to know: each in its own scope, and searched there."""
        with opened(self.root, place.path(folder), make=True) as here:
            if not here.names():
                return
        self._mem.index(self.root / place.path(folder), scope=place.scope.path, vectors=False)

    def _sessions(self, desk: Desk, place: Place, moved: set[str] | None) -> None:
        files = SessionFiles(desk, place)
        if moved is not None:
            moved = moved | {name for name in files.names if self._differs(place, name)}
            if not moved and not _is_touched(self.root, place.path(SESSIONS), INDEX_FILE):
                return
        for file, job in files.jobs(moved):
            self._guarded(desk, place, file, job, everything=True)

    def _differs(self, place: Place, session: str) -> bool:
        try:
            return _is_touched(self.root, place.path(SESSIONS), f"{session}.jsonl")
        except (NotAFileError, OSError):
            # What stands there is told of by the job for it.
            return True

    def _guarded(
        self, desk: Desk, place: Place, file: str, job: Callable[[], None], *, everything: bool
    ) -> None:
        path = place.path(file)
        try:
            if everything or _is_touched(self.root, place.folder, file):
                job()
        except OSError as error:
            desk.report.notices.append(f"{path}: {error.strerror or error}")
        except LaminaError as error:
            desk.report.notices.append(f"{path}: {error}")
        except Exception as error:
            # One file or one record that nobody thought of costs the others nothing.
            desk.report.notices.append(f"{path}: {type(error).__name__}: {error}")


def sync(mem: Memory, folder: str | Path | None = None) -> SyncReport:
    """Bring the files of a store and the store together, once."""
    return Files(mem, folder).sync()


def _root(mem: Memory, folder: str | Path | None) -> Path:
    if folder is not None:
        return Path(os.path.realpath(check_text(str(folder), "folder", limit=4_096)))
    root = root_of(mem.store.location)
    if root is None:
        raise InvalidInputError(
            "`folder` is needed: this store has no directory of its own",
            remedy="Say where its files may lie: `lamina sync --to FOLDER`",
        )
    return root


def _is_touched(root: Path, folder: str, file: str) -> bool:
    """Whether a file is not as it was left: edited, removed, or in the middle of being written."""
    state = f"{STATE}/{folder}" if folder else STATE
    try:
        with opened(root, folder) as here, opened(root, state) as there:
            bases = read_bases(there, file)
            pieces = any(name.startswith(f".{file}.") for name in here.names())
            late = there.stamp(f"{file}{WAS}") is not None
            return pieces or late or bool(bases.lost) or here.stamp(file) != bases.stamp
    except FileNotFoundError:
        # Either the file is new, or its whole folder was deleted.
        known = root / state / f"{file}.json"
        return os.path.lexists(root / folder / file) or os.path.lexists(known)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One projector at a time, whatever process it is in."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    end = stopwatch() + _LONGEST_WAIT
    try:
        while not _is_locked(handle):
            if stopwatch() > end:
                raise ConflictError(
                    f"another process is at work on the files in {path.parent.parent}",
                    remedy="Sync again when it has finished, or end it",
                )
            time.sleep(_LOOK_SECONDS)
        yield
    finally:
        os.close(handle)


def _is_locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
