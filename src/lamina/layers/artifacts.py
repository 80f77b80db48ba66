"""Artifacts: the files that work has produced, with what they were when they were registered."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final, TypedDict, Unpack, cast

from lamina.core.canonical import MAX_INTEGER, check_text
from lamina.core.options import check_options
from lamina.errors import InvalidInputError, NotFoundError
from lamina.layers.face import Prunable, only
from lamina.layers.workspace import Workspace
from lamina.reading import check_limit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lamina.core.changes import Receipt
    from lamina.core.draft import Draft
    from lamina.core.record import Record

_SHA256: Final = re.compile("[0-9a-f]{64}")
_MEASURED: Final = ("size", "sha256")


class Told(TypedDict, total=False):
    """What may be said of a file that lies elsewhere."""

    kind: str
    description: str
    size: int
    """In bytes."""
    sha256: str
    agent: str
    """Who made it; only an orchestrator or admin may name another than themselves."""


class Standing(StrEnum):
    """How a file is, compared with what was registered."""

    SAME = "same"
    CHANGED = "changed"
    MISSING = "missing"
    UNKNOWN = "unknown"
    """It is there, but no checksum was kept to compare it with."""


@dataclass(frozen=True, slots=True)
class Verified:
    """One artifact, and how its file stands now."""

    record: Record
    standing: Standing

    @property
    def path(self) -> str:
        """Where the file is, relative to the workspace."""
        return str(self.record.key)


class Artifacts(Prunable):
    """The artifacts of a project."""

    layer = "artifact"

    def register(
        self,
        path: str,
        *,
        task: str,
        workspace: str | Path = ".",
        kind: str = "file",
        description: str = "",
    ) -> Receipt:
        """Keep that a task produced a file: a `file`, `patch`, `test`, `document` or `config`.

        Size and checksum are taken from the file itself, which must lie in the workspace.
        """
        told = check_text(description, "description")
        found = Workspace(workspace).measure(path)
        data = {"task": self._task(task), "size": found.size, "sha256": found.sha256}
        return self._put(
            {"kind": kind, "key": found.path, "text": told or found.path, "data": data}
        )

    def declare(self, path: str, *, task: str, **told: Unpack[Told]) -> Receipt:
        """Keep that a task produced a file which lies elsewhere, with what is said of it.

        Nobody looks at the file; `verify` does, where the workspace is.
        """
        said = _checked(dict(told))
        if PurePosixPath(check_text(path, "path")).is_absolute():
            raise InvalidInputError("`path` must be relative to the workspace")
        name = Workspace(".").named(path)
        data: dict[str, Any] = {one: said[one] for one in _MEASURED if one in said}
        data["task"] = self._task(task)
        draft: dict[str, Any] = {
            "kind": said.get("kind", "file"), "key": name, "data": data,
            "text": said.get("description") or name, **only("source", said.get("agent"), "agent"),
        }  # fmt: skip
        return self._put(cast("Draft", draft))

    def query(
        self, *, task: str | None = None, kind: str | None = None, path: str | None = None,
        limit: int = 100,
    ) -> list[Record]:  # fmt: skip
        """Artifacts of a task, of a kind, or at a path or below it, newest first."""
        where = only("data.task", task, "task") | only("kind", kind, "kind")
        if path is None:
            return self._find(limit, **where)
        most, below = check_limit(limit), check_text(path, "path").rstrip("/") + "/"
        found = [one for one in self._every(**where) if f"{one.key}/".startswith(below)]
        return found[: -most - 1 : -1]

    def deregister(self, path: str) -> Receipt:
        """Forget an artifact; the file stays as it is, and `undo` brings the entry back."""
        return self._door.forget(self._required(path, "path").id)

    def verify(self, *, workspace: str | Path = ".", task: str | None = None) -> Iterator[Verified]:
        """Compare every artifact, or those of a task, with its file."""
        place = Workspace(workspace)
        for record in self._every(key={"$ne": None}, **only("data.task", task, "task")):
            yield Verified(record, _standing(place, record))


def _checked(told: dict[str, Any]) -> dict[str, Any]:
    check_options(told, Told, "something an artifact has")
    for name in told.keys() - {"size"}:
        check_text(told[name], name)
    size = told.get("size", 0)
    if type(size) is not int or not 0 <= size <= MAX_INTEGER:
        raise InvalidInputError(f"`size` must be a whole number from 0, not {size!r:.40}")
    if not _SHA256.fullmatch(told.get("sha256", "0" * 64)):
        raise InvalidInputError(
            f"`sha256` is no SHA-256 checksum: {told['sha256']!r:.80}",
            remedy="Write its 64 digits, in lower case",
        )
    return told


def _standing(place: Workspace, record: Record) -> Standing:
    try:
        found = place.measure(str(record.key))
    except (NotFoundError, InvalidInputError):
        return Standing.MISSING
    kept = record.data.get("sha256")
    if kept is None:
        return Standing.UNKNOWN
    return Standing.SAME if found.sha256 == kept else Standing.CHANGED
