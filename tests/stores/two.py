"""A Redis beside a store that everything else is in, and what the tests of the two ask of them."""

from collections.abc import Callable

from lamina.core.access import EVERYTHING
from lamina.core.changes import Changed, Put, Receipt
from lamina.stores.base import Store
from lamina.stores.combined.store import CombinedStore
from lamina.testing.builders import a_put, ask, texts, write

Combine = Callable[..., CombinedStore]


def a_signal(text: str, **fields: object) -> Put:
    return a_put(text, layer="blackboard", kind="signal", key="s", **fields)


def write_both(store: Store, text: str, **fields: object) -> Receipt:
    """A commit over both stores."""
    return write(store, a_put(text, key="k"), a_signal(text), **fields)


def told_by(store: Store) -> dict[str, list[str]]:
    """What the current records of each layer say."""
    return {
        layer: texts(ask(store, {"layer": layer, "state": "current"}))
        for layer in ("knowledge", "blackboard")
    }


def all_changes(store: Store, limit: int, after: dict[str, int] | None = None) -> list[Changed]:
    place, seen = dict(after or {}), list[Changed]()
    while True:
        page = store.changes(EVERYTHING, place, limit)
        if not page.position:
            return seen
        assert len(page.changes) <= limit
        place |= {name: head.seq for name, head in page.position.items()}
        seen += page.changes
