"""Values for tests, with fixed times and ids that are counted, never drawn.

`a_put`, `a_commit` and their like fill in what a test does not care about, so that it says only
what it does care about.
"""

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from lamina.core import chain
from lamina.core.access import EVERYTHING, Grant, Reach
from lamina.core.changes import Change, Commit, Event, Put, Receipt
from lamina.core.filters import parse
from lamina.core.ids import RecordId, new_id
from lamina.core.indexing import index_terms
from lamina.core.layers import LAYERS, Layer, slot
from lamina.core.principal import Principal, Role
from lamina.core.record import Content, Record
from lamina.core.scope import Scope
from lamina.core.text import estimate_tokens, query_terms
from lamina.stores.base import Capability, Store
from lamina.stores.questions import Found, Match, Query, Search

NOON: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
"""When everything happens unless a test says otherwise."""
WEB: Final = "project/web"
ADMIN: Final = Principal("ann")
ORCHESTRATOR: Final = Principal("otto", Role.ORCHESTRATOR)
_LONG_AFTER: Final = timedelta(days=36_500)
_PUT_FIELDS: Final = frozenset(Put.__dataclass_fields__)
_numbers = itertools.count(1)
_home = [LAYERS["knowledge"]]


@contextmanager
def at_home_in(layer: str) -> Iterator[None]:
    """Write into this layer where a test does not care: a store need not keep every one."""
    _home.append(LAYERS[layer])
    try:
        yield
    finally:
        _home.pop()


def home() -> Layer:
    """The layer that records belong to unless a test says otherwise."""
    return _home[-1]


def place_at(key: str, scope: str = WEB) -> str:
    """The slot of a fact with this key, at home."""
    return slot(home(), scope, "fact", key)


def an_id(number: int | None = None) -> RecordId:
    """The id with this number; without one, the next that nobody has had."""
    value = 2**40 + next(_numbers) if number is None else number
    return new_id(value, bytes(10))


def after_noon(minutes: float) -> datetime:
    """An instant some minutes after noon; negative numbers lie before it."""
    return NOON + timedelta(minutes=minutes)


def someday(minutes: float) -> datetime:
    """An instant so far off that nothing which lasts until then has run out."""
    return after_noon(minutes) + _LONG_AFTER


def a_principal(name: str = "finn", role: Role = Role.AGENT, root: str | None = WEB) -> Principal:
    """Somebody who acts; an agent of a project unless the test says otherwise."""
    return Principal(name, role, None if root is None else Scope.of(root))


def a_content(text: str = "a plain fact", **fields: Any) -> Content:
    """What a version says."""
    return Content(text=text, tokens=estimate_tokens(text), **{"kind": "fact", **fields})


def a_put(text: str = "a plain fact", **fields: Any) -> Put:
    """A write in one project, at home; fields of the content and of the change alike."""
    rest = {name: value for name, value in fields.items() if name in _PUT_FIELDS}
    content = a_content(text, **{n: v for n, v in fields.items() if n not in _PUT_FIELDS})
    defaults = {"id": an_id(), "scope": WEB, "layer": home().name, "content": content}
    put = {**defaults, "terms": index_terms(content, rest.get("key")), **rest}
    return Put(**put)


def a_record(text: str = "a plain fact", **fields: Any) -> Record:
    """A record as it stands, for adopting and for comparing."""
    start: dict[str, Any] = {
        "id": an_id(), "scope": WEB, "layer": home().name, "kind": "fact", "created_at": NOON,
        "updated_at": NOON, "tokens": estimate_tokens(text),
    }  # fmt: skip
    return Record(text=text, **{**start, **fields})


def a_commit(*changes: Change, **fields: Any) -> Commit:
    """Changes that happen together."""
    return Commit(changes=changes, **{"by": ADMIN, "at": NOON, "tx": an_id(), **fields})


def write(store: Store, *changes: Change, **fields: Any) -> Receipt:
    """Commit the changes and return the receipt."""
    return store.commit(a_commit(*changes, **fields))


def written(store: Store, text: str = "a plain fact", **fields: Any) -> Record:
    """Write one record and return it as the store has it."""
    receipt = write(store, a_put(text, **fields))
    return the(store, receipt.id)


def the(store: Store, record_id: RecordId) -> Record:
    """The record with this id, which must be there."""
    [record] = store.get(EVERYTHING, [record_id])
    return record


def sight_of(*scopes: str, subtree: bool = True) -> Reach:
    """A reach that covers every layer of some scopes."""
    return Reach(tuple(Grant(frozenset(LAYERS), scope, subtree) for scope in scopes))


def ask(store: Store, where: dict[str, Any] | None = None, **fields: Any) -> list[Record]:
    """Query by a filter; everything within sight unless the test says otherwise."""
    return store.query(Query(**{"reach": EVERYTHING, "where": parse(where), **fields}))


def look_for(store: Store, words: str, **fields: Any) -> list[Match]:
    """Search for words."""
    return list(search(store, words, **fields).matches)


def search(store: Store, words: str, **fields: Any) -> Found:
    """Search for words, and for what lies near a vector."""
    return store.search(Search(**{"reach": EVERYTHING, "terms": query_terms(words), **fields}))


def texts(records: list[Record]) -> list[str]:
    """What the records say, in their order."""
    return [record.text for record in records]


def found(store: Store, words: str, **fields: Any) -> list[str]:
    """The texts that a search finds, best first."""
    return [match.record.text for match in look_for(store, words, **fields)]


def layers_of(store: Store) -> list[str]:
    """The layers that a store keeps."""
    every = Capability.EVERY_LAYER in store.capabilities
    return [layer.name for layer in LAYERS.values() if every or layer.hot]


def breaks(store: Store, events: Sequence[Event]) -> list[object]:
    """Where a stream's events do not follow from each other, as far as the store seals them."""
    if Capability.CHAINED in store.capabilities:
        return list(chain.verify(events))
    pairs = itertools.pairwise(events)
    return [two for one, two in pairs if (one.seq + 1, one.at) > (two.seq, two.at)]


def picture(store: Store) -> dict[str, Any]:
    """Everything that can be seen of a store, for comparing it with another or itself later."""
    records = ask(store)
    events = {name: store.events(name, limit=2**31) for name in store.streams()}
    known = {event.record for one in events.values() for event in one}
    words = {word for record in records for word in record.text.split()}
    return {
        "records": records,
        "events": events,
        "versions": {one: store.versions(EVERYTHING, one) for one in sorted(known)},
        "sealed": {
            one: sorted(store.sealed(one), key=lambda sealed: sealed.ref) for one in sorted(known)
        },
        "erased": store.tombstones(known),
        "settings": dict(store.settings()),
        "found": {word: look_for(store, word, limit=1000) for word in sorted(words)},
    }
