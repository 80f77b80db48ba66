"""Writing items: each is a record that is known again by its id, whenever it comes by."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from lamina import clock
from lamina.core import canonical
from lamina.core.changes import Action, Adopt, Change, Outcome
from lamina.core.draft import ContentFields, new_content
from lamina.core.ids import RecordId, new_id
from lamina.core.instants import to_text
from lamina.core.layers import LAYERS, slot
from lamina.core.names import check_key
from lamina.core.principal import Surface
from lamina.core.record import Record, State, content_fields
from lamina.core.scope import Scope
from lamina.core.secrets import find_secrets
from lamina.errors import InvalidInputError, LaminaError, StoreError
from lamina.importing.brought import Tally
from lamina.importing.formats.items import Item, Left
from lamina.importing.report import Fate
from lamina.memory import Memory

ORIGIN: Final = "origin"
"""Where it stands in the data of a record what an import must know again."""
_TICK: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class _Step:
    item: Item
    fate: Fate
    note: str = ""
    change: Change | None = None


class Keeper:
    """Decides what becomes of items of one format in one scope, and writes it."""

    def __init__(
        self,
        mem: Memory,
        scope: Scope,
        form: str,
        *,
        dry_run: bool,
        again: bool,
    ) -> None:
        self._store = mem.store
        self._reach = mem.reach
        self._path = mem.path_for(Surface.IMPORT)
        self._speaker = replace(mem.principal, surface=Surface.IMPORT)
        self._scope = scope
        self._format = form
        self._dry_run = dry_run
        self._again = again
        self._began = clock.now()
        self._undated = 0
        self._seen: set[bytes] = set()
        """The items of this run that are no messages: a conversation looks after its own."""
        self.done: list[RecordId] = []
        """The transactions that were committed."""

    def take(self, batch: Sequence[Item | Left], tally: Tally) -> None:
        """Keep what is new of some items, and count what became of all."""
        items = list(self._new(batch, tally))
        ids = [name for name, _ in items]
        known = {record.id: record for record in self._store.get(self._reach, ids)}
        erased = self._store.tombstones(ids)
        steps = [self._step(name, one, known.get(name), name in erased) for name, one in items]
        self._write(steps, tally)

    def _new(self, batch: Sequence[Item | Left], tally: Tally) -> Iterator[tuple[RecordId, Item]]:
        """The items, each with the id that follows from where it came from, and so is always it."""
        for one in batch:
            if isinstance(one, Left):
                tally.place(Fate.FAILED if one.bad else Fate.LEFT, one.place, one.reason)
                continue
            named = canonical.dumps([self._scope.path, self._format, one.layer, *one.identity])
            digest = bytes.fromhex(self._path.fingerprint(named.encode("utf-8", "replace")))
            if digest in self._seen:
                tally.item(Fate.LEFT, one, "the same id as an earlier item")
                continue
            if one.session is None:
                self._seen.add(digest)
            made = 0 if one.stamp is None else int(one.stamp.timestamp() * 1000)
            yield new_id(max(made, 0), digest), one

    def _step(self, name: RecordId, item: Item, known: Record | None, erased: bool) -> _Step:
        if erased:
            return _Step(item, Fate.ERASED, "erased here")
        try:
            if known is not None:
                return self._met(item, known)
            adopt = self._adopt(name, item)
        except InvalidInputError as error:
            return _Step(item, Fate.FAILED, error.message)
        if self._dry_run and self._is_held(adopt.record):
            return _Step(item, Fate.PROPOSED, "another record holds its key")
        return _Step(item, Fate.ADDED, change=adopt)

    def _met(self, item: Item, record: Record) -> _Step:
        """An item that is a record already."""
        origin = record.data.get(ORIGIN)
        mark = origin if isinstance(origin, dict) else {}
        if record.state is State.FORGOTTEN:
            if self._again:
                return _Step(item, Fate.ADDED, change=self._path.move(record, State.CURRENT))
            return _Step(item, Fate.HIDDEN, "forgotten here")
        if mark.get("digest") == self._digest(item):
            return _Step(item, Fate.UNCHANGED)
        if LAYERS[record.layer].append_only:
            return _Step(item, Fate.CONFLICT, "says something else by now; a message never changes")
        if mark.get("rev") != record.rev:
            return _Step(item, Fate.CONFLICT, "changed here and in the source")
        fields: dict[str, Any] = {**self._fields(item, record.rev + 1), "text": item.text}
        return _Step(item, Fate.REVISED, change=self._path.edit(record, fields, record.rev))

    def _adopt(self, name: RecordId, item: Item) -> Adopt:
        scope = self._scope
        if item.session is not None:
            scope = scope.child("session", item.session)
        content = new_content(item.text, self._fields(item, 1), item.layer, self._speaker)
        created = self._made(item.created)
        record = Record(
            id=name, scope=scope.path, layer=item.layer, key=_key(item),
            created_at=created, updated_at=max(created, self._made(item.updated or created)),
            **content_fields(content),
        )  # fmt: skip
        return self._path.adopt(record)

    def _fields(self, item: Item, rev: int) -> ContentFields:
        origin: dict[str, Any] = {"format": self._format, "digest": self._digest(item), "rev": rev}
        if item.created is not None:
            origin["created_at"] = to_text(item.created)
        fields: ContentFields = {
            "kind": item.kind, "tags": item.tags, "via": item.trust.value, "source": item.source,
            "data": {**item.data, ORIGIN: origin},
        }  # fmt: skip
        if item.importance is not None:
            fields["importance"] = item.importance
        return fields

    def _digest(self, item: Item) -> str:
        said = [item.text, item.kind, item.key, list(item.tags), item.data]
        return self._path.fingerprint(canonical.dumps(said).encode("utf-8", "replace"))

    def _made(self, at: datetime | None) -> datetime:
        """When a record was made: as its source says, but nothing is from the future."""
        if at is None or at > self._began:
            self._undated += 1
            return self._began + _TICK * self._undated
        return at

    def _is_held(self, record: Record) -> bool:
        if record.key is None:
            return False
        place = slot(LAYERS[record.layer], record.scope, record.kind, record.key)
        return self._store.find(self._reach, place) is not None

    def _write(self, steps: Sequence[_Step], tally: Tally) -> None:
        changing = [step for step in steps if step.change is not None]
        for step in steps:
            if step.change is None or self._dry_run:
                tally.item(step.fate, step.item, step.note)
        if changing and not self._dry_run:
            self._commit(changing, tally)

    def _commit(self, steps: Sequence[_Step], tally: Tally) -> None:
        """Together if possible, one by one if any of them is refused."""
        try:
            receipt = self._path.commit([step.change for step in steps if step.change is not None])
        except StoreError:
            # The store failed, not the items: the next one would fail like it, and wait as long.
            raise
        except LaminaError as error:
            if len(steps) == 1:
                tally.item(Fate.FAILED, steps[0].item, error.message)
                return
            for step in steps:
                self._commit([step], tally)
            return
        self.done.append(receipt.tx)
        tally.sealed += len(receipt.sealed)
        for step, outcome in zip(steps, receipt.outcomes, strict=True):
            fate = _fate(step, outcome)
            held = fate is Fate.PROPOSED
            tally.item(fate, step.item, "another record holds its key" if held else step.note)


def _fate(step: _Step, outcome: Outcome) -> Fate:
    if outcome.action is Action.UNCHANGED:
        return Fate.UNCHANGED
    return Fate.PROPOSED if outcome.state is State.PROPOSED else step.fate


def _key(item: Item) -> str | None:
    """The key, if it can be one; it is shown everywhere, so it holds no secret."""
    try:
        key = None if item.key is None else check_key(item.key)
    except InvalidInputError:
        return None
    return None if key is None or find_secrets(key) else key
