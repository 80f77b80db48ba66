"""Checkpoints and pending writes of LangGraph's threads as records of working memory.

What LangGraph's serialiser makes of them is kept compressed, as base64, and cut into pieces where
it is larger than a record may be. Working memory is nothing that recall searches, keeps no earlier
versions, and is private to the handle's scope. Keys are `THREAD//NAMESPACE//CHECKPOINT`, and for a
write `//TASK//N` behind it: all of a thread, and all of a checkpoint, begin alike.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any, Final
from zlib import compress, decompress

from lamina.adapters.langgraph import names
from lamina.core.sealed import SCHEME, references

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lamina import Memory
    from lamina.core.draft import Draft
    from lamina.core.record import Record

LAYER: Final = "working"
CHECKPOINT: Final = "checkpoint"
WRITE: Final = "write"
_PIECE: Final = "checkpoint_piece"
_LARGEST: Final = 700_000
"""How many characters of a payload go into one record."""
_NUMBER: Final = "%#"
"""Stands before the number of a piece; no quoting writes it."""
_FIRST_PAGE: Final = 8
_PAGE: Final = 200

Typed = tuple[str, bytes]


def thread_key(thread: str) -> str:
    """How the keys of everything of a thread begin."""
    return f"{names.part(thread, 150)}//"


def space_key(thread: str, space: str) -> str:
    """How the keys of everything in one namespace of a thread begin."""
    return f"{thread_key(thread)}{names.part(space, 150)}//"


def checkpoint_key(thread: str, space: str, checkpoint: str) -> str:
    """The key of a checkpoint."""
    return f"{space_key(thread, space)}{names.part(checkpoint, 90)}"


def write_key(of: str, task: str, index: int) -> str:
    """The key of one write of a task, pending at the checkpoint with the key `of`."""
    return f"{of}//{names.part(task, 80)}//{index}"


def drafts(kind: str, key: str, data: dict[str, Any], payload: Sequence[Typed]) -> list[Draft]:
    """What is remembered for one checkpoint or write: its record, and the pieces of a large one."""
    lines = (f"{name}:{b64encode(compress(content, 1)).decode()}" for name, content in payload)
    return _in_pieces(kind, key, data, "\n".join(lines))


def _in_pieces(kind: str, key: str, data: dict[str, Any], text: str) -> list[Draft]:
    first, *others = [text[at : at + _LARGEST] for at in range(0, len(text) or 1, _LARGEST)]
    made: list[Draft] = [
        {"layer": LAYER, "kind": kind, "key": key, "text": "",
         "data": {**data, "payload": first, "pieces": len(others)}}
    ]  # fmt: skip
    made += [
        {"layer": LAYER, "kind": _PIECE, "key": f"{key}//{_NUMBER}{number:04}", "text": "",
         "data": {"payload": piece}}
        for number, piece in enumerate(others, start=1)
    ]  # fmt: skip
    return made


class Threads:
    """The records of all threads in one handle's own scope."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def latest(self, thread: str, space: str) -> Record | None:
        """The record of the newest checkpoint of a namespace."""
        where = self._where(CHECKPOINT, space_key(thread, space))
        return next(iter(self.memory.query(where, order_by="key", limit=1)), None)

    def one(self, key: str) -> Record | None:
        """The record with a key."""
        where = {"scope": self.memory.scope.path, "layer": LAYER, "key": key}
        return next(iter(self.memory.query(where, limit=1)), None)

    def below(self, kind: str | None, beginning: str = "") -> Iterator[Record]:
        """Every record whose key begins so, greatest key first."""
        where = self._where(kind, beginning)
        # Who wants the newest few reads a few: a checkpoint may be large.
        page = _FIRST_PAGE
        while True:
            found = self.memory.query(where, order_by="key", limit=page)
            yield from found
            if len(found) < page:
                return
            page = min(page * 2, _PAGE)
            where["key"] = {**where["key"], "$lt": found[-1].key}

    def there(self, keys: Sequence[str]) -> set[str]:
        """Which of these keys are taken."""
        where = {"scope": self.memory.scope.path, "layer": LAYER}
        found: set[str] = set()
        for at in range(0, len(keys), _PAGE):
            some = {"key": {"$in": list(keys[at : at + _PAGE])}}
            found |= {str(one.key) for one in self.memory.query({**where, **some}, limit=_PAGE)}
        return found

    def of_runs(self, runs: Sequence[str]) -> Iterator[Record]:
        """The checkpoints that some runs made."""
        for at in range(0, len(runs), _PAGE):
            where = self._where(CHECKPOINT, "")
            where["data.run"] = {"$in": list(runs[at : at + _PAGE])}
            last: dict[str, Any] = {}
            while found := self.memory.query({**where, **last}, order_by="id", limit=_PAGE):
                yield from found
                last = {"id": {"$lt": found[-1].id}}

    def payload(self, record: Record) -> list[Typed]:
        """What LangGraph's serialiser made, as it was handed over."""
        lines = self._text(record).split("\n")
        typed = (line.rpartition(":") for line in lines)
        return [(name, decompress(b64decode(content))) for name, _, content in typed]

    def copied(self, record: Record, key: str, data: dict[str, Any]) -> list[Draft]:
        """The same payload under another key."""
        return _in_pieces(record.kind, key, {**record.data, **data}, self._text(record))

    def write(self, made: Sequence[Draft]) -> None:
        """Keep records in one commit."""
        path = self.memory.path_for(self.memory.principal.surface)
        changes = path.puts(made, self.memory.scope)
        if changes:
            path.commit(changes)

    def erase(self, ids: Iterable[str]) -> None:
        """Remove records for good, all or none."""
        named = list(dict.fromkeys(ids))
        if named:
            self.memory.erase(*named)

    def _where(self, kind: str | None, beginning: str) -> dict[str, Any]:
        kinds = [CHECKPOINT, WRITE, _PIECE] if kind is None else [kind]
        return {
            "scope": self.memory.scope.path,
            "layer": LAYER,
            "kind": {"$in": kinds},
            "key": {"$prefix": beginning},
        }

    def _text(self, record: Record) -> str:
        text = self._open(record)
        if record.data.get("pieces"):
            pieces = list(self.below(_PIECE, f"{record.key}//{_NUMBER}"))
            wanted = pieces[::-1][: record.data["pieces"]]
            text += "".join(map(self._open, wanted))
        return text

    def _open(self, record: Record) -> str:
        """The payload of one record; by chance it may look like a secret, and then it is sealed."""
        text = str(record.data["payload"])
        if SCHEME in text:
            for reference in references(text):
                text = text.replace(reference, self.memory.reveal(record.id, reference))
        return text
