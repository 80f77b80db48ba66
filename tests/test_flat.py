"""The flat context store of B13, over three tiers, on every store."""

import pytest

from lamina import Memory
from lamina.backend import ContextItem
from lamina.flat import ContextStore
from tests.places import mem

__all__ = ["mem"]


def an_item(name: str, source: str = "", kind: str = "note", *tags: str) -> ContextItem:
    return ContextItem(id=name, kind=kind, source=source, tags=tags, payload={"text": name})


@pytest.fixture
def store(mem: Memory) -> ContextStore:
    return ContextStore(mem.agent("finn", project="web"), task="t-7")


def test_items_go_to_the_tier_that_they_name(mem: Memory, store: ContextStore) -> None:
    store.add(an_item("a", "task/t-7/design", "reasoning"))
    store.add(an_item("b", "project/web", "decision"))
    store.add(an_item("c", "", "pattern", "project", "network"))
    store.add(an_item("d"))
    finn = mem.agent("finn", project="web")
    assert {one.key for one in finn.task_tier("t-7").read()} == {"a", "d"}
    assert {one.key for one in finn.knowledge.query()} == {"b", "c"}


def test_the_dictionary_of_old_still_is_one(store: ContextStore) -> None:
    store.items["a"] = an_item("a")
    store.items["b"] = an_item("b", "project/web", "decision")
    assert (len(store.items), store.count(), set(store.items)) == (2, 2, {"a", "b"})
    assert store.items["b"].kind == "decision"
    assert "c" not in store.items
    assert store.items.get("c") is None
    del store.items["b"]
    assert [item.id for item in store.list_all()] == ["a"]
    with pytest.raises(KeyError):
        store.items["b"]
    with pytest.raises(KeyError):
        del store.items["b"]
    with pytest.raises(KeyError):
        store.items["x"] = an_item("y")


def test_the_nearest_tier_answers_first(store: ContextStore) -> None:
    store.add(an_item("a", "project/web", "decision"))
    store.add(an_item("a", "task/t-7"))
    found = store.get("a")
    assert found is not None
    assert (found.kind, store.count()) == ("note", 1)
    assert store.delete("a")
    found = store.get("a")
    assert found is not None
    assert found.kind == "decision"
    assert store.delete("a")
    assert not store.delete("a")


def test_clearing_ends_the_task_and_leaves_the_project(mem: Memory, store: ContextStore) -> None:
    other = ContextStore(mem.agent("finn", project="web"), task="t-8")
    other.add(an_item("z"))
    store.add(an_item("a"))
    store.add(an_item("b", "project/web", "decision"))
    store.clear()
    assert [item.id for item in store.list_all()] == ["b"]
    store.items.clear()
    assert list(store.items) == ["b"]
    assert other.get("z") is not None


def test_a_global_preference_asks_here_too(mem: Memory) -> None:
    item = an_item("length", "global", "preference", "global", "style")
    ContextStore(mem, task="t-7").add(item)
    assert mem.global_tier.query_preferences() == []
    store = ContextStore(mem, task="t-7", confirm=lambda question: True)
    store.add(item)
    [found] = mem.global_tier.query_preferences("style")
    assert found.key == "length"
    assert store.get("length") is not None


def test_projects_do_not_see_each_others_items(mem: Memory, store: ContextStore) -> None:
    store.add(an_item("a"))
    store.add(an_item("b", "project/web", "decision"))
    assert ContextStore(mem.agent("finn", project="shop"), task="t-7").list_all() == []
