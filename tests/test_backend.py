"""The seven verbs of B1 over items of B3, the same on every store."""

from typing import Any

import pytest

from lamina import InvalidInputError, Memory
from lamina.backend import Backend, ContextItem
from tests.places import mem

__all__ = ["mem"]


def an_item(name: str, **fields: Any) -> ContextItem:
    return ContextItem(**{"id": name, "kind": "note", "payload": {"text": name}, **fields})


def ids(items: list[ContextItem]) -> list[str]:
    return [item.id for item in items]


@pytest.fixture
def backend(mem: Memory) -> Backend:
    return Backend(mem.project("web"))


def test_an_item_comes_back_as_it_was_given(backend: Backend) -> None:
    backend.add(an_item("i-1", kind="code", tags=("bug",), importance=0.7, payload={"n": [1]}))
    item = backend.get("i-1")
    assert item is not None
    assert (item.id, item.kind, item.tags, item.importance) == ("i-1", "code", ("bug",), 0.7)
    assert item.payload == {"n": [1]}
    assert item.source == "user"
    assert item.timestamp
    assert item.token_cost > 0


def test_adding_an_id_again_replaces_it(backend: Backend) -> None:
    backend.add(an_item("i", payload={"text": "one"}))
    backend.add(an_item("i", payload={"text": "two"}))
    assert backend.count() == 1
    assert [item.payload["text"] for item in backend.list_all()] == ["two"]


def test_filters_compare_and_combine(backend: Backend) -> None:
    backend.add(an_item("a", kind="code", tags=("bug", "ui"), importance=0.2))
    backend.add(an_item("b", kind="code", tags=("api",), importance=0.7))
    backend.add(an_item("c", kind="note", importance=0.9, payload={"text": "c", "depth": {"n": 3}}))
    assert ids(backend.query({"kind": "code"})) == ["b", "a"]
    assert ids(backend.query({"tags": ["ui", "api"]})) == ["b", "a"]
    assert ids(backend.query({"importance": {"$gte": 0.7}})) == ["c", "b"]
    assert ids(backend.query({"importance": {"$gt": 0.2, "$lt": 0.9}})) == ["b"]
    assert ids(backend.query({"kind": {"$ne": "code"}})) == ["c"]
    assert ids(backend.query({"kind": {"$eq": "code"}, "importance": {"$lte": 0.2}})) == ["a"]
    assert ids(backend.query({"payload.depth.n": 3})) == ["c"]
    assert ids(backend.query({"id": {"$in": ["a", "c"]}})) == ["c", "a"]


def test_order_and_limit(backend: Backend) -> None:
    for name, importance in (("a", 0.5), ("b", 0.9), ("c", 0.1)):
        backend.add(an_item(name, importance=importance))
    assert ids(backend.query({})) == ["c", "b", "a"]
    assert ids(backend.query({}, order_by="-timestamp")) == ["a", "b", "c"]
    assert ids(backend.query({}, order_by="importance", limit=2)) == ["b", "a"]
    assert ids(backend.query({}, order_by="-importance", limit=1)) == ["c"]


def test_delete_says_whether_there_was_one(backend: Backend) -> None:
    backend.add(an_item("a"))
    assert backend.delete("a")
    assert not backend.delete("a")
    assert backend.get("a") is None


def test_clear_empties_this_backend_alone(mem: Memory, backend: Backend) -> None:
    other = Backend(mem.project("other"))
    backend.add(an_item("a"))
    other.add(an_item("a"))
    backend.clear()
    assert (backend.count(), other.count()) == (0, 1)


def test_an_unknown_field_is_refused(backend: Backend) -> None:
    with pytest.raises(InvalidInputError, match="payload.NAME"):
        backend.query({"colour": "red"})
