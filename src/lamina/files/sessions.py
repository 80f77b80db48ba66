"""The transcripts of a place and what sessions there are: only those that moved are read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from lamina.errors import InvalidInputError
from lamina.files.bases import read_bases
from lamina.files.folder import NotAFileError, opened
from lamina.files.layout import SESSIONS, STATE
from lamina.files.telling import OneWay, Told
from lamina.files.told import (
    INDEX,
    INDEX_FILE,
    index_file,
    index_line,
    sessions_of,
    transcript_text,
)
from lamina.files.transcripts import Transcript

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina.files.desk import Desk
    from lamina.files.layout import Place

_LARGEST: Final = 64_000_000


class SessionFiles:
    """The files in the folder `sessions` of one place."""

    def __init__(self, desk: Desk, place: Place) -> None:
        self._desk = desk
        self._place = place
        self._folder = place.path(SESSIONS)
        self.names = _transcripts(desk, self._folder)

    def jobs(self, dirty: set[str] | None) -> Iterator[tuple[str, Callable[[], None]]]:
        """What to do for each session that moved, or for all of them; last the list of sessions."""
        lines = {} if dirty is None else self._listed()
        if dirty is None or not lines:
            lines, dirty = {}, sessions_of(self._desk.reader, self._place) | set(self.names)
        for name in sorted(dirty):
            yield f"{SESSIONS}/{name}.jsonl", self._one(name, lines)
        if dirty:
            yield INDEX, self._index(lines)

    def _one(self, name: str, lines: dict[str, dict[str, Any]]) -> Callable[[], None]:
        def sync() -> None:
            transcript = Transcript(self._desk, self._place, name)
            OneWay(
                self._desk, self._folder, f"{name}.jsonl",
                Told(lambda: transcript_text(transcript.messages()), transcript.take),
            ).sync()  # fmt: skip
            lines.pop(name, None)
            told = index_line(name, transcript.messages())
            if told is not None:
                lines[name] = told

        return sync

    def _index(self, lines: dict[str, dict[str, Any]]) -> Callable[[], None]:
        return OneWay(
            self._desk, self._folder, INDEX_FILE, Told(lambda: index_file(list(lines.values())))
        ).sync

    def _listed(self) -> dict[str, dict[str, Any]]:
        """The list as it was written last, if it still stands there: what did not move is in it."""
        try:
            with (
                opened(self._desk.root, self._folder) as here,
                opened(self._desk.root, f"{STATE}/{self._folder}") as there,
            ):
                raw, bases = here.read(INDEX_FILE, _LARGEST), read_bases(there, INDEX_FILE)
        except (OSError, NotAFileError):
            return {}
        if raw is None or [self._desk.file_digest(raw)] != [one.file for one in bases.trail[-1:]]:
            return {}
        return {str(one["id"]): one for one in json.loads(raw)["sessions"]}


def _transcripts(desk: Desk, folder: str) -> list[str]:
    """The sessions that have a file, or had one until somebody deleted it; others are told of."""
    found = {*_named(desk, folder, ".jsonl"), *_named(desk, f"{STATE}/{folder}", ".jsonl.json")}
    kept = []
    for name in sorted(found):
        try:
            kept.append(Transcript.check(name))
        except InvalidInputError:
            told = f"{folder}/{name}.jsonl is no name of a session, so it is left"
            desk.report.notices.append(told)
    return kept


def _named(desk: Desk, folder: str, ending: str) -> list[str]:
    try:
        with opened(desk.root, folder) as here:
            names = here.names()
    except (OSError, NotAFileError):
        return []
    return [
        name.removesuffix(ending)
        for name in names
        if name.endswith(ending) and not name.startswith(".")
    ]
