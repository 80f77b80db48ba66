"""Where the files of a scope lie: a folder for everybody, each project, user and agent."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lamina.core.names import check_name
from lamina.core.scope import GLOBAL, Scope
from lamina.errors import InvalidInputError
from lamina.stores.sqlite import DATABASE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FOLDERS: Final = {"agent": "agents", "project": "projects", "user": "users"}
_LEVELS: Final = {folder: level for level, folder in _FOLDERS.items()}
STATE: Final = ".projected"
"""What a folder keeps about its files: what they were made from."""
OWN_FOLDERS: Final = ("directives", "skills")
"""What people put into an agent's folder for it to know."""
KEPT: Final = "kept"
"""Where files go that could not be taken over."""
SESSIONS: Final = "sessions"
FILES: Final = ("AGENT.md", "NOW.md", "MEMORY.md", "tasks.json", "LOG.md", "items.json")
FOLDERS: Final = (SESSIONS, *OWN_FOLDERS)
"""The files that a place may have, and the folders with more of them."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a scope shows itself."""

    scope: Scope
    folder: str
    """Relative to the root of all files; empty for the root itself."""

    def path(self, file: str) -> str:
        """A file of this scope, relative to the root."""
        return f"{self.folder}/{file}" if self.folder else file

    @property
    def is_agents(self) -> bool:
        """Whether it is the folder of an agent."""
        return self.scope.part("agent") is not None


def root_of(location: str) -> Path | None:
    """The folder with the files of a store that has a directory of its own."""
    from pathlib import Path

    database = Path(location)
    # The folder may be a link; nothing below it is followed.
    return Path(os.path.realpath(database.parent)) if database.name == DATABASE else None


def place_of(scope: Scope) -> Place:
    """The folder of the scope, or of the one above it that has a folder."""
    root = Scope.of(scope.stream)
    level, _, name = root.path.partition("/")
    folder = f"{_FOLDERS[level]}/{name}" if name else ""
    agent = None if level == "agent" else scope.part("agent")
    return Place(root, folder) if agent is None else _below(root, folder, agent)


def _below(root: Scope, folder: str, agent: str) -> Place:
    # `agents/` at the top holds the agents that belong to no project.
    return Place(root.child("agent", agent), f"{folder or GLOBAL.path}/agents/{agent}")


def places_in(root: Path) -> Iterator[Place | str]:
    """The places that folders below a root stand for, and the names that stand for none."""
    yield Place(GLOBAL, "")
    yield from _agents_in(root, GLOBAL, GLOBAL.path)
    for folder, level in _LEVELS.items():
        for name in _names(root / folder):
            try:
                scope = Scope.of(f"{level}/{check_name(name, 'name')}")
            except InvalidInputError:
                yield f"{folder}/{name}"
                continue
            yield Place(scope, f"{folder}/{name}")
            if level != "agent":
                yield from _agents_in(root, scope, f"{folder}/{name}")


def _agents_in(root: Path, scope: Scope, folder: str) -> Iterator[Place | str]:
    for name in _names(root / folder / "agents"):
        try:
            found = scope.child("agent", check_name(name, "name"))
        except InvalidInputError:
            yield f"{folder}/agents/{name}"
            continue
        yield Place(found, f"{folder}/agents/{name}")


def _names(folder: Path) -> list[str]:
    """The folders in a folder; what is hidden, and the files there, are somebody else's."""
    try:
        with os.scandir(folder) as entries:
            found = [one.name for one in entries if not one.is_file(follow_symlinks=False)]
    except OSError:
        return []
    return sorted(name for name in found if not name.startswith("."))
