"""What a file shows, read from the store; and the book that is kept of its frame."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from lamina import clock
from lamina.core.filters import parse
from lamina.core.ids import RecordId
from lamina.core.layers import LAYERS
from lamina.core.record import State
from lamina.core.scope import hot_stream
from lamina.files.page import Frame, safe_front
from lamina.files.sections_page import FRAME
from lamina.stores.base import Capability
from lamina.stores.questions import Query

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lamina.core.draft import Draft
    from lamina.core.record import Record
    from lamina.core.scope import Scope
    from lamina.memory import Memory

_BOOKS: Final = "file:"
_HASH: Final = 12


class Reader:
    """Questions to the store, asked on behalf of the files: nobody reads, so nobody is told."""

    def __init__(self, mem: Memory) -> None:
        self._store = mem.store
        self._reach = mem.reach

    def current(
        self, where: Mapping[str, Any], limit: int | None = None, *, weighty: bool = False
    ) -> list[Record]:
        """Records that hold now, oldest first; or of many the weightiest, those first."""
        order = ("importance", True) if weighty else (None, False)
        return self._store.query(
            Query(reach=self._reach, where=parse(dict(where)), live_at=clock.now(), order_by=order,
                  limit=limit)
        )  # fmt: skip

    def said(self, where: Mapping[str, Any]) -> list[Record]:
        """Records that hold now or were archived, oldest first."""
        states = {"state": {"$in": [State.CURRENT.value, State.ARCHIVED.value]}}
        asked = parse({**where, **states})
        return self._store.query(Query(reach=self._reach, where=asked, order_by=(None, False)))

    def current_at(
        self, where: Mapping[str, Any], as_of: Mapping[str, int], limit: int | None = None
    ) -> list[Record]:
        """Records that held when streams had come so far, the weightiest first."""
        return self._store.query(
            Query(reach=self._reach, where=parse({**where, "state": State.CURRENT.value}),
                  as_of=as_of, order_by=("importance", True), limit=limit)
        )  # fmt: skip

    def has_past(self, layer: str) -> bool:
        """Whether what a layer held earlier can be asked for; what is hot may have no past."""
        return not LAYERS[layer].hot or Capability.PAST in self._store.capabilities

    def stream(self, scope: Scope, layer: str) -> str:
        """The stream in which a layer of a scope changes."""
        return scope.stream if self.has_past(layer) else hot_stream(scope.stream)

    def position(self, stream: str) -> tuple[int, str]:
        """How far a stream has come, and what its log has come to there."""
        head = self._store.position([stream]).get(stream)
        return (head.seq, head.hash[:_HASH]) if head else (0, "")

    def was_at(self, stream: str, seq: int, digest: str) -> bool:
        """Whether the log of the store passed through a place."""
        if not seq:
            return True
        events = self._store.events(stream, after=seq - 1, limit=1)
        return bool(events) and events[0].hash[:_HASH] == digest

    def versions(self, record_id: str) -> list[Record | None]:
        """Everything that a record has said; nothing in place of what is not kept."""
        found = self._store.versions(self._reach, RecordId(record_id))
        return [version.record for version in found]

    def is_erased(self, record_id: str) -> bool:
        """Whether a record was erased."""
        return bool(self._store.tombstones([RecordId(record_id)]))

    def newest(self, where: Mapping[str, Any], limit: int) -> list[Record]:
        """The newest records that hold now, oldest first."""
        asked = Query(reach=self._reach, where=parse(dict(where)), live_at=clock.now(), limit=limit)
        return self._store.query(asked)[::-1]

    def count(self, where: Mapping[str, Any]) -> int:
        """How many records hold now."""
        asked = Query(reach=self._reach, where=parse(dict(where)), live_at=clock.now())
        return self._store.count(asked)

    def named(self, ids: Iterable[str]) -> list[Record]:
        """Records by id, in whatever state."""
        return self._store.get(self._reach, list(dict.fromkeys(ids)))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Book:
    """What is kept of a file that no entry says."""

    frame: Frame = field(default_factory=Frame)
    taken: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Entries that were taken over, by digest, each with the name it got; by the revision that the
    file was made from."""

    def taken_from(self, revision: str) -> Mapping[str, str]:
        """What was taken over from a file that was made from this revision."""
        return self.taken.get(revision, {})

    def taking(self, revision: str, entries: Mapping[str, str]) -> Book:
        """The book with more entries taken over; of earlier files only the last is kept in mind."""
        earlier = [(old, found) for old, found in self.taken.items() if old != revision][-1:]
        return replace(
            self, taken={**dict(earlier), revision: {**self.taken_from(revision), **entries}}
        )


def book_key(file: str) -> str:
    """What the book of a file is called."""
    return f"{_BOOKS}{file}"


def read_book(reader: Reader, scope: str, file: str) -> Book:
    """The book of a file."""
    where = {"layer": "now", "scope": scope, "kind": FRAME, "key": book_key(file)}
    found = reader.current(where, 1)
    if not found:
        return Book()
    data = found[0].data
    frame = Frame(
        safe_front(_texts(data.get("front"))), " ".join(str(data.get("title", "")).split()),
        tuple(_texts(data.get("sections"))), tuple(_texts(data.get("order"))),
    )  # fmt: skip
    return Book(frame, _taken(data.get("taken")))


def book_draft(book: Book, scope: str, file: str) -> Draft:
    """The book as it is to be kept."""
    frame = book.frame
    said: dict[str, Any] = {
        "front": list(frame.front), "title": frame.title, "sections": list(frame.sections),
        "order": list(frame.order),
        # As a list, because the order counts: the last was taken from last.
        "taken": [[revision, dict(entries)] for revision, entries in book.taken.items()],
    }  # fmt: skip
    data = {name: value for name, value in said.items() if value}
    return {
        "layer": "now", "scope": scope, "kind": FRAME, "key": book_key(file),
        "text": f"how {file} is arranged", "data": data,
    }  # fmt: skip


def _taken(value: object) -> dict[str, dict[str, str]]:
    pairs = value if isinstance(value, list) else []
    return {
        str(one[0]): {str(digest): str(name) for digest, name in one[1].items()}
        for one in pairs
        if isinstance(one, list) and len(one) == 2 and isinstance(one[1], dict)
    }


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
