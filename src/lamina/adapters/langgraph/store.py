"""`LaminaStore`: LangGraph's long-term memory in Lamina.

Items are records of the handle's own scope, in layer `knowledge`: other handles see them as far as
they see that scope, people find them by recall, and each value that was replaced stays in the
history. Of a batch, reads see what was there before it, and all its writes are one commit.
"""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, Literal

from langgraph.store.base import (
    BaseStore,
    GetOp,
    ListNamespacesOp,
    PutOp,
    SearchOp,
    validate_op_namespace,
)

from lamina import clock
from lamina.adapters.langgraph import items, names
from lamina.adapters.langgraph.indexing import Index, packed
from lamina.adapters.langgraph.searching import Looking
from lamina.adapters.revealing import revealed
from lamina.aio import in_thread
from lamina.core.record import State
from lamina.errors import ConflictError, InvalidInputError, LaminaError
from lamina.layers.face import settled

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from langchain_core.embeddings import Embeddings
    from langgraph.store.base import IndexConfig, Item, Op, Result, SearchItem, TTLConfig

    from lamina import Memory
    from lamina.adapters.langgraph.indexing import Embedded
    from lamina.core.changes import Change
    from lamina.core.record import Record

_STALE: Final = 0.05
"""The share of its time that must have passed before reading an item gives it its time anew."""
_SWEPT: Final = 500


class LaminaStore(BaseStore):
    """A `BaseStore` over a handle of Lamina.

    Args:
        memory: Whose scope the items are in, and what they may be used for.
        index: `fields` says what is searched; with `embed`, searches go by its vectors alone.
        ttl: As in every LangGraph store. Items whose time has run out are never handed out.
        reveal: When secrets inside values come back as they were put: for `get`, where an item
            is asked for by name, `always`, or `never`. Otherwise they come as references.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Memory,
        *,
        index: IndexConfig | None = None,
        ttl: TTLConfig | None = None,
        reveal: Literal["get", "always", "never"] = "get",
    ) -> None:
        if reveal not in ("get", "always", "never"):
            raise InvalidInputError(f"`reveal` is get, always or never, not {reveal!r:.40}")
        self.memory = memory
        self.ttl_config = ttl
        self._index = Index(index)
        self._reveal = reveal
        self._looking = Looking(memory)
        self._sweeper: threading.Thread | None = None
        self._stopped = threading.Event()

    @property
    def index_config(self) -> IndexConfig | None:
        """What the store was told about searching."""
        return self._index.config

    @property
    def embeddings(self) -> Embeddings | None:
        """The embedder that searches go by, if the user brought one."""
        return self._index.embeddings

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations: reads first, then all writes in one commit."""
        asked = _checked(ops)
        return self._run(asked, self._index.embedded(asked))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same from an event loop, in a thread: a store blocks whatever we do."""
        asked = _checked(ops)
        return await in_thread(self._run, asked, await self._index.aembedded(asked))

    def sweep_ttl(self) -> int:
        """Forget the items whose time has run out; returns how many."""
        swept = 0
        while True:
            where = {**items.where_of(self.memory), "expires_at": {"$lte": clock.now()}}
            found = self.memory.query(where, limit=_SWEPT)
            swept += sum(self._moved([record]) for record in found)
            if len(found) < _SWEPT:
                return swept

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> None:
        """Sweep now and then in a thread, as often as `ttl` says unless told otherwise."""
        given = (self.ttl_config or {}).get("sweep_interval_minutes")
        minutes = given if sweep_interval_minutes is None else sweep_interval_minutes
        if not minutes or self._sweeper is not None:
            return
        self._stopped.clear()
        self._sweeper = threading.Thread(
            target=self._sweep_on, args=(minutes * 60,), name="lamina-langgraph-ttl", daemon=True
        )
        self._sweeper.start()

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """Stop sweeping; whether the thread has ended."""
        self._stopped.set()
        if self._sweeper is None:
            return True
        self._sweeper.join(timeout)
        has_ended = not self._sweeper.is_alive()
        if has_ended:
            self._sweeper = None
        return has_ended

    # -- inside

    def _run(self, ops: Sequence[Op], embedded: Embedded) -> list[Result]:
        puts = {(tuple(op.namespace), op.key): op for op in ops if isinstance(op, PutOp)}
        read: dict[str, Record] = {}
        got = self._looking.items(
            list({names.key_of(op.namespace, op.key) for op in ops if isinstance(op, GetOp)})
        )
        results: list[Result] = []
        for op in ops:
            if isinstance(op, GetOp):
                record = got.get(names.key_of(op.namespace, op.key))
                results.append(None if record is None else self._item(record))
                seen = [] if record is None else [record]
            elif isinstance(op, SearchOp):
                asked = embedded.queries.get(op.query) if op.query else None
                found = self._looking.search(op, asked)
                results.append([self._found(record, score) for record, score in found])
                seen = [record for record, _ in found]
            else:
                seen = []
                results.append(
                    self._looking.namespaces(op) if isinstance(op, ListNamespacesOp) else None
                )
            if getattr(op, "refresh_ttl", False):
                read |= {record.id: record for record in seen}
        written = {names.key_of(*place) for place in puts}
        self._refresh([record for record in read.values() if record.key not in written])
        self._write(list(puts.values()), embedded)
        return results

    def _item(self, record: Record) -> Item:
        return items.item_of(record, self._value(record, self._reveal != "never"))

    def _found(self, record: Record, score: float | None) -> SearchItem:
        return items.found_of(record, self._value(record, self._reveal == "always"), score)

    def _value(self, record: Record, whole: bool) -> dict[str, Any]:
        value: dict[str, Any] = items.value_of(record)
        if whole:
            value = revealed(self.memory, value, [record])
        return value

    def _write(self, puts: Sequence[PutOp], embedded: Embedded) -> None:
        """All of it in one commit; what others write at the same time comes before or after."""
        kept = [op for op in puts if op.value is not None]
        drafts = [
            items.draft_of(op, self._index.fields(op), self._vectors(op, embedded)) for op in kept
        ]
        gone = [names.key_of(op.namespace, op.key) for op in puts if op.value is None]

        def attempt() -> None:
            path = self.memory.path_for(self.memory.principal.surface)
            there = self._looking.items([*(str(draft["key"]) for draft in drafts), *gone])
            for draft in drafts:
                # Having seen what is there, a put replaces it, whoever of the scope has put that.
                held = there.get(str(draft["key"]))
                draft["expect"] = 0 if held is None else held.rev
            changes: list[Change] = [*path.puts(drafts, self.memory.scope)]
            doomed = (there[key] for key in gone if key in there)
            changes += [path.move(record, State.FORGOTTEN) for record in doomed]
            if changes:
                path.commit(changes)

        settled(attempt)

    def _vectors(self, op: PutOp, embedded: Embedded) -> list[list[int]]:
        return [packed(embedded.documents[text]) for text in self._index.texts(op)]

    def _refresh(self, records: Sequence[Record]) -> None:
        """Give items that were read their time anew, unless somebody has just changed them."""
        if not (self.ttl_config or {}).get("refresh_on_read", False):
            return
        now = clock.now()
        for record in records:
            minutes = record.data.get("ttl_minutes")
            if not isinstance(minutes, int | float) or record.expires_at is None:
                continue
            lasts = timedelta(minutes=minutes)
            if now + lasts - record.expires_at < lasts * _STALE:
                continue
            path = self.memory.path_for(self.memory.principal.surface)
            try:
                path.commit([path.edit(record, {"expires": lasts}, record.rev)])
            except ConflictError:
                continue

    def _moved(self, records: Sequence[Record]) -> bool:
        path = self.memory.path_for(self.memory.principal.surface)
        try:
            path.commit([path.move(record, State.FORGOTTEN) for record in records])
        except ConflictError:
            # Somebody has put it again, or swept it.
            return False
        return True

    def _sweep_on(self, seconds: float) -> None:
        while not self._stopped.wait(seconds):
            try:
                self.sweep_ttl()
            except LaminaError:
                # A store that is out of reach is asked again; reads leave out the expired anyway.
                continue


def _checked(ops: Iterable[Op]) -> list[Op]:
    """The operations, none of which is carried out if one names no namespace."""
    asked = list(ops)
    for op in asked:
        if not isinstance(op, GetOp | SearchOp | PutOp | ListNamespacesOp):
            raise InvalidInputError(f"`ops` holds a {type(op).__name__}, which is no operation")
        validate_op_namespace(op)
        if isinstance(op, GetOp | PutOp) and not isinstance(op.key, str):
            raise InvalidInputError(f"`key` must be text, not {type(op.key).__name__}")
    return asked
