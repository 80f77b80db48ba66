"""All files of a store: which of them have to be looked at, and one after the other."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lamina.core.principal import Role
from lamina.core.scope import Scope
from lamina.durable import make_folder, replace_file
from lamina.errors import ConflictError, ForbiddenError, InvalidInputError, LaminaError
from lamina.files.bases import WAS, read_bases
from lamina.files.desk import Ask, Desk, SyncReport
from lamina.files.folder import NotAFileError, opened
from lamina.files.layout import OWN_FOLDERS, STATE, Place, place_of, places_in
from lamina.files.memory_page import MemoryPage
from lamina.files.sections_page import AGENT, NOW
from lamina.files.syncing import TwoWay
from lamina.files.tasks_page import TasksPage
from lamina.files.telling import OneWay
from lamina.files.told import (
    INDEX,
    ITEMS,
    LOG,
    SESSIONS,
    index_file,
    items_file,
    log_file,
    sessions_of,
    transcript_file,
)
from lamina.files.transcripts import Transcript
from lamina.stores.sqlite import DATABASE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina.files.merging import Sheet
    from lamina.memory import Memory

_SHEETS: Final[tuple[Sheet, ...]] = (AGENT, NOW, MemoryPage(), TasksPage())
_CURSOR: Final = "cursor"
_LOCK: Final = "lock"
_LAYERS: Final = frozenset(("now", "knowledge", "task", "log", "item", "session"))


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
            start = self._mem.cursor()
            places, everything = self._to_look_at(desk)
            for place in places:
                self._place(desk, place, everything=everything(place))
            self._keep_cursor(start)
        return desk.report

    def adopt(self) -> SyncReport:
        """Make files of another store those of this one, and sync them."""
        with suppress(FileNotFoundError):
            shutil.rmtree(self.root / STATE)
        return self.sync()

    def is_behind(self) -> bool:
        """Whether the store has moved on since these files were written."""
        return next(iter(self._mem.changes(self._cursor())), None) is not None

    def wait(self, seconds: float) -> bool:
        """Wait until somebody writes to the store, but no longer than this; whether they did."""
        with self._mem.changes(self._mem.cursor(), follow=True, timeout=seconds) as feed:
            return next(iter(feed), None) is not None

    def _to_look_at(self, desk: Desk) -> tuple[list[Place], Callable[[Place], bool]]:
        """The places there are, and which of them the store has changed since the last time."""
        moved: dict[str, Place] = {}
        streams: set[str] = set()
        for change in self._mem.changes(self._cursor()):
            if change.record is None:
                streams.add(change.event.stream)
            elif change.record.layer in _LAYERS:
                place = place_of(Scope.of(change.record.scope))
                moved[place.scope.path] = place
        found = dict(moved)
        for here in places_in(self.root):
            if isinstance(here, str):
                desk.report.notices.append(f"{here} is no name that Lamina can use, so it is left")
            elif self._is_within(here.scope):
                found.setdefault(here.scope.path, here)
        # Folders that somebody deleted are known by what was kept about their files.
        for here in places_in(self.root / STATE):
            if isinstance(here, Place) and self._is_within(here.scope):
                found.setdefault(here.scope.path, here)
        order = sorted(found.values(), key=lambda place: place.folder)
        return order, lambda place: place.scope.path in moved or place.scope.stream in streams

    def _cursor(self) -> str | None:
        """How far the store had come when these files were written last."""
        try:
            found = json.loads((self.root / STATE / _CURSOR).read_text(encoding="utf-8"))
            store, cursor = str(found["store"]), str(found["cursor"])
        except (OSError, ValueError, TypeError, KeyError):
            return None
        if store != self._mem.store.identity:
            raise ConflictError(
                f"the files in {self.root} belong to another store",
                remedy="Take them in with `lamina import FOLDER`, or name another folder",
            )
        return cursor

    def _keep_cursor(self, cursor: str) -> None:
        said = {"store": self._mem.store.identity, "cursor": cursor}
        replace_file(self.root / STATE / _CURSOR, [json.dumps(said)])

    def _is_within(self, scope: Scope) -> bool:
        root = self._mem.principal.root
        return root is None or root.contains(scope)

    def _place(self, desk: Desk, place: Place, *, everything: bool) -> None:
        """Every file of one place; what is wrong with one does not keep the others."""
        jobs: list[tuple[str, Callable[[], None]]] = [
            (sheet.file, TwoWay(desk, place, sheet).sync)
            for sheet in _SHEETS
            if sheet is not AGENT or place.is_agents
        ]
        jobs.append(
            (LOG, OneWay(desk, place.folder, LOG, lambda: log_file(desk.reader, place)).sync)
        )
        jobs.append(
            (ITEMS, OneWay(desk, place.folder, ITEMS, lambda: items_file(desk.reader, place)).sync)
        )
        for file, job in jobs:
            self._guarded(desk, place, file, job, everything=everything)
        for folder in OWN_FOLDERS if place.is_agents else ():
            self._guarded(desk, place, folder, partial(self._index, place, folder), everything=True)
        self._sessions(desk, place, everything=everything)

    def _index(self, place: Place, folder: str) -> None:
        """Take in what people give an agent to know: each in its own scope, and searched there."""
        with opened(self.root, place.path(folder), make=True) as here:
            if not here.names():
                return
        self._mem.index(self.root / place.path(folder), scope=place.scope.path, vectors=False)

    def _sessions(self, desk: Desk, place: Place, *, everything: bool) -> None:
        folder = place.path(SESSIONS)
        names = _transcripts(self.root, folder)
        if not everything and not any(
            _is_touched(self.root, folder, f"{name}.jsonl") for name in names
        ):
            return
        found = sessions_of(desk.reader, place)
        for name in dict.fromkeys((*found, *names)):
            transcript = Transcript(desk, place, name)
            job = OneWay(
                desk, folder, f"{name}.jsonl",
                lambda transcript=transcript: transcript_file(desk.reader, transcript.scope),  # type: ignore[misc]
                transcript.take,
            ).sync  # fmt: skip
            self._guarded(desk, place, f"{SESSIONS}/{name}.jsonl", job, everything=True)
        told = list(sessions_of(desk.reader, place).items())
        job = OneWay(desk, folder, INDEX.split("/")[1], lambda: index_file(told)).sync
        if told or names:
            self._guarded(desk, place, INDEX, job, everything=True)

    def _guarded(
        self, desk: Desk, place: Place, file: str, job: Callable[[], None], *, everything: bool
    ) -> None:
        path = place.path(file)
        try:
            if everything or _is_touched(self.root, place.folder, file):
                job()
        except NotAFileError as error:
            desk.report.notices.append(f"{path}: {error}")
        except OSError as error:
            desk.report.notices.append(f"{path}: {error.strerror or error}")
        except LaminaError as error:
            desk.report.notices.append(f"{path}: {error}")


def sync(mem: Memory, folder: str | Path | None = None) -> SyncReport:
    """Bring the files of a store and the store together, once."""
    return Files(mem, folder).sync()


def _root(mem: Memory, folder: str | Path | None) -> Path:
    if folder is not None:
        return Path(os.path.abspath(folder))
    database = Path(mem.store.location)
    if database.name != DATABASE:
        raise InvalidInputError(
            "`folder` is needed: this store has no directory of its own",
            remedy="Say where its files may lie",
        )
    return database.parent


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


def _transcripts(root: Path, folder: str) -> list[str]:
    """The sessions that have a file, or had one until somebody deleted it."""
    had = _named(root, f"{STATE}/{folder}", ".jsonl.json")
    return sorted({*_named(root, folder, ".jsonl"), *had})


def _named(root: Path, folder: str, ending: str) -> list[str]:
    try:
        with opened(root, folder) as here:
            names = here.names()
    except (FileNotFoundError, NotAFileError):
        return []
    return [
        name.removesuffix(ending)
        for name in names
        if name.endswith(ending) and not name.startswith(".")
    ]


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One projector at a time, whatever process it is in."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
