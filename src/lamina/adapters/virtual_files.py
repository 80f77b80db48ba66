"""A directory of text files that are records: `/memories`, as models were taught to use it.

A file is a record of the layer `notebook` whose key is its path, so that it is searched, versioned,
undone and erased like everything else. Directories are what paths have in common. A file too long
for one record goes on in others, which are written and removed with it, in one commit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from lamina.core.names import check_key
from lamina.core.record import State
from lamina.errors import ConflictError, InvalidInputError, NotFoundError
from lamina.layers.face import every, settled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lamina.core.changes import Change, Receipt
    from lamina.core.draft import Draft
    from lamina.core.record import Record
    from lamina.memory import Memory
    from lamina.writing import WritePath

ROOT: Final = "/memories"
LAYER: Final = "notebook"
KIND: Final = "file"
_MORE: Final = "file_part"
_PART: Final = "part {} of {}"
_LONGEST: Final = 900_000
"""How many bytes of a file one record holds; a reference may be longer than what it stands for."""
_MOST_PARTS: Final = 32
LONGEST: Final = _LONGEST * _MOST_PARTS
"""How many bytes a file may take."""


@dataclass(frozen=True, slots=True)
class File:
    """One file as it stands."""

    path: str
    records: tuple[Record, ...]
    """The record that has the path as its key, and those that go on with it."""

    @property
    def text(self) -> str:
        """All of it; where a secret was written, the reference that stands for it."""
        return "".join(one.text for one in self.records)


class Files:
    """The files of one agent, or of whoever else a handle is for."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._scope = memory.scope.path

    def sizes(self, folder: str = ROOT) -> dict[str, int]:
        """Every file below a directory, with the bytes that it takes."""
        where = self._where(key={"$prefix": f"{folder}/"}, kind=KIND)
        return {str(one.key): int(one.data["bytes"]) for one in every(self._memory, where)}

    def is_folder(self, path: str) -> bool:
        """Whether there are files below a path; the root is always one."""
        where = self._where(key={"$prefix": f"{path}/"}, kind=KIND)
        return path == ROOT or bool(self._memory.query(where, limit=1))

    def read(self, path: str) -> File | None:
        """The file at a path, if there is one."""
        alone = self._memory.query(self._where(key=path, kind=KIND), limit=1)
        if not alone or alone[0].data["parts"] == 1:
            return File(path, tuple(alone)) if alone else None
        # All parts at once: of a file that is being rewritten, none may be from before.
        names = [path, *(_PART.format(number, path) for number in range(2, _MOST_PARTS + 1))]
        found = {one.key: one for one in self._memory.query(self._where(key={"$in": names}))}
        first = found.get(path)
        if first is None or first.kind != KIND:
            return None
        count = int(first.data["parts"])
        return File(path, tuple(found[name] for name in names[:count] if name in found))

    def create(self, path: str, text: str) -> Receipt:
        """Write a new file.

        Raises:
            ConflictError: There is something at that path.
            NotFoundError: What would be its directory is a file.
        """
        self._check_free(path)
        return self._door.commit(self._door.puts(_drafts(path, text), self._memory.scope))

    def rewrite(self, path: str, change: Callable[[str], str]) -> File:
        """Give a file other contents, made from those it has; they are made anew if it moved.

        Raises:
            NotFoundError: There is no such file.
        """

        def attempt() -> File:
            file = self.read(path)
            if file is None:
                raise NotFoundError(f"there is no file {path}")
            drafts = _drafts(path, change(file.text), file.records[0].rev)
            self._door.commit(self._next(drafts, file))
            return self.read(path) or file

        return settled(attempt)

    def remove(self, path: str) -> Receipt | None:
        """Hide a file, or all below a directory, in one change; nothing where nothing was."""
        gone = [one for file in self._at(path) for one in file.records]
        if not gone:
            return None
        return self._door.commit([self._door.move(one, State.FORGOTTEN) for one in gone])

    def move(self, old: str, new: str) -> Receipt | None:
        """Give a file, or all below a directory, another path; nothing where nothing was.

        A path is the key of a record, which never changes: at the new one stand new records, which
        say where they come from, and the secrets go with them.
        """
        files = self._at(old)
        if not files:
            return None
        self._check_free(new)
        steps = [step for file in files for step in self._moved(file, old, new)]
        return self._door.commit(steps)

    def _at(self, path: str) -> list[File]:
        one = self.read(path)
        names = [path] if one else sorted(self.sizes(path))
        return [file for file in map(self.read, names) if file is not None]

    def _moved(self, file: File, old: str, new: str) -> list[Change]:
        path = new + file.path.removeprefix(old)
        origin = {"was": file.path, "record": file.records[0].id}
        drafts = _drafts(path, file.text)
        drafts[0]["data"] = {**drafts[0]["data"], "moved": origin}
        store = self._memory.store
        boxes = tuple(box for one in file.records for box in store.sealed(one.id))
        steps: list[Change] = [self._door.move(one, State.FORGOTTEN) for one in file.records]
        for put in self._door.puts(drafts, self._memory.scope):
            held = tuple(box for box in boxes if box.ref in put.content.text)
            steps.append(replace(put, sealed=(*put.sealed, *held)))
        return steps

    def _next(self, drafts: Sequence[Draft], file: File) -> list[Change]:
        """A file as it is to be, part by part."""
        steps: list[Change] = []
        for draft, record in zip_longest(drafts, file.records):
            if draft is None:
                steps.append(self._door.move(record, State.FORGOTTEN))
            elif record is None:
                steps += self._door.puts([draft], self._memory.scope)
            else:
                fields = {"text": draft["text"], "data": {**record.data, **draft["data"]}}
                steps.append(self._door.edit(record, fields, record.rev))
        return steps

    def _check_free(self, path: str) -> None:
        check_key(path, "path")
        if self.is_folder(path) or self.read(path):
            raise ConflictError(f"there is something at {path} already")
        above = path.rsplit("/", 1)[0]
        while above.startswith(f"{ROOT}/"):
            if self.read(above):
                raise NotFoundError(f"{above} is a file and not a directory")
            above = above.rsplit("/", 1)[0]

    def _where(self, **more: Any) -> dict[str, Any]:
        return {"layer": LAYER, "scope": self._scope, **more}

    @property
    def _door(self) -> WritePath:
        return self._memory.path_for(self._memory.principal.surface)


def _drafts(path: str, text: str, edition: int = 0) -> list[Draft]:
    """A file as what is to be written: new, or the edition after one."""
    pieces = _pieces(text)
    if len(pieces) > _MOST_PARTS:
        raise InvalidInputError(
            f"{path} would take more than {LONGEST:,} bytes",
            remedy="Keep it in several files",
        )
    size = len(text.encode())
    # Even an edit that leaves the first part as it was is a new version of the file.
    about = {"bytes": size, "parts": len(pieces), "edition": edition + 1}
    drafts: list[Draft] = []
    for number, piece in enumerate(pieces, start=1):
        is_first = number == 1
        drafts.append({
            "layer": LAYER, "kind": KIND if is_first else _MORE, "text": piece, "expect": 0,
            "key": path if is_first else _PART.format(number, path),
            "data": about if is_first else {"part": number},
        })  # fmt: skip
    return drafts


def _pieces(text: str) -> list[str]:
    """A text in parts that a record can hold, cut between lines where there are any."""
    left = text.encode()
    found: list[str] = []
    while len(left) > _LONGEST:
        piece = left[:_LONGEST]
        cut = piece.rfind(b"\n") + 1
        # Without a line to cut behind, at least no character is cut.
        whole = piece[:cut] if cut else piece.decode("utf-8", "ignore").encode()
        found.append(whole.decode())
        left = left[len(whole) :]
    return [*found, left.decode()]
