"""LangGraph's store on Lamina: names without loss, filters before the best are taken, one commit.

LangGraph's own tests of a store run in `make conformance`; here is what they do not ask.
"""

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.store.base import GetOp, IndexConfig, InvalidNamespaceError, PutOp, SearchOp

import lamina
from lamina import Memory
from lamina.adapters.langgraph import AsyncLaminaStore, LaminaCheckpointer, LaminaStore, searching
from lamina.errors import InvalidInputError
from tests.days import Day, day, whole
from tests.places import plain
from tests.serving import serving

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

__all__ = ["day", "plain", "whole"]

DAY = 24 * 60.0
ODD = (
    (("users", "alice"), "profile"),
    (("users", "alice/profile"), "x"),
    (("users",), "alice/profile"),
    (("users", "alice//x"), ""),
    (("a%2Fb",), "100 %"),
    (("line\nbreak", "alice\n"), "tab\tkey"),
    (("é",), "composed"),
    (("e\u0301",), "decomposed"),
    ((" edge ", "\u3164"), " "),
    (("\u202eright to left", "👩\u200d👩"), "\ud800 half"),
    (("l" * 600, "m" * 300), "k" * 300),
    (("l" * 600, "m" * 300), "k" * 301),
)


def test_any_name_that_langgraph_allows_comes_back(plain: Memory) -> None:
    store = LaminaStore(plain)
    store.batch([PutOp(where, key, {"n": n}) for n, (where, key) in enumerate(ODD)])
    for n, (where, key) in enumerate(ODD):
        found = store.get(where, key)
        assert found is not None
        assert (found.namespace, found.key, found.value) == (where, key, {"n": n})
    listed = {(one.namespace, one.key) for one in store.search((), limit=100)}
    assert listed == set(ODD)
    assert set(store.list_namespaces()) == {where for where, _ in ODD}


def test_a_prefix_ends_where_a_label_ends(plain: Memory) -> None:
    store = LaminaStore(plain)
    long = "l" * 600
    for where in (("a",), ("a", "b"), ("ab",), (long,), (long, "x"), (long + "y",)):
        store.put(where, "k", {"v": 1})
    assert {one.namespace for one in store.search(("a",))} == {("a",), ("a", "b")}
    assert {one.namespace for one in store.search((long,))} == {(long,), (long, "x")}
    assert store.list_namespaces(prefix=(long,), max_depth=1) == [(long,)]


def test_more_items_than_one_question_may_ask_for(
    plain: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "_PAGE", 3)
    monkeypatch.setattr(searching, "_MOST", 5)
    store = LaminaStore(plain)
    for n in range(10):
        store.put(("d", str(n)), "k", {"n": n, "l": [n % 2]})
    assert len(store.list_namespaces()) == 10
    assert [one.value["n"] for one in store.search((), limit=4, offset=5)] == [4, 3, 2, 1]
    assert [one.value["n"] for one in store.search((), filter={"l": [1]}, offset=1)] == [7, 5, 3, 1]
    got = store.batch([GetOp(("d", str(n)), "k") for n in range(10)])
    assert all(one is not None for one in got)


VALUE = {"n": 3, "t": "b", "yes": True, "none": None, "l": [1, "x"], "in": {"n": 4}, "a.b": 1}


@pytest.mark.parametrize(
    ("asked", "passes"),
    [
        ({"n": 3}, True),
        ({"n": 3.0}, True),
        ({"n": True}, False),
        ({"yes": True}, True),
        ({"yes": 1}, False),
        ({"none": None}, True),
        ({"absent": None}, True),
        ({"n": {"$gt": 2, "$lte": 3}}, True),
        ({"n": {"$lt": float("inf")}}, True),
        ({"n": {"$gt": 10**100}}, False),
        ({"n": {"$gt": "2"}}, False),
        ({"t": {"$gte": "b", "$ne": "c"}}, True),
        ({"t": "b\0"}, False),
        ({"l": [1, "x"]}, True),
        ({"l": [1]}, False),
        ({"in": {"n": 4}}, True),
        ({"in": {"n": {"$lt": 4}}}, False),
        ({"in.n": {"$gte": 4}}, True),
        ({"a.b": 1}, True),
        ({"n": 3, "t": "x"}, False),
    ],
)
def test_filters(plain: Memory, asked: dict[str, Any], passes: bool) -> None:
    store = LaminaStore(plain)
    store.put(("d",), "k", VALUE)
    assert bool(store.search(("d",), filter=asked)) is passes
    store.put(("d",), "k", {**VALUE, "say": "needle"})
    assert bool(store.search(("d",), query="needle", filter=asked)) is passes


@pytest.mark.parametrize(
    "asked", [{"": 1}, {"a..b": 1}, {"n": {"$near": 1}}, {"n": {"$gt": 1, "x": 2}}]
)
def test_a_filter_that_means_nothing_is_refused(plain: Memory, asked: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"filter"):
        LaminaStore(plain).search((), filter=asked)


@pytest.mark.parametrize("asked", [{"even": True}, {"marks": ["x", "y"]}])
def test_filter_and_prefix_come_before_the_best_are_taken(
    plain: Memory, asked: dict[str, Any]
) -> None:
    store = LaminaStore(plain)
    for n in range(60):
        fits = {"even": n % 30 == 0, "marks": ["x", "y"] if n % 30 == 0 else ["x"]}
        # The others say it more often, and so would come first.
        store.put(
            ("mine",), f"k{n}", {"text": "harbour " * (1 if fits["even"] else 5) + str(n), **fits}
        )
        store.put(("theirs",), f"k{n}", {"text": "harbour harbour harbour", **fits})
    found = store.search(("mine",), query="harbour", filter=asked, limit=2)
    assert {one.key for one in found} == {"k0", "k30"}
    assert all(one.namespace == ("mine",) and one.score is not None for one in found)


def test_items_that_say_the_same_are_all_found(plain: Memory) -> None:
    store = LaminaStore(plain)
    for n in range(6):
        store.put(("users", str(n)), "taste", {"text": "prefers the dark theme"})
    assert len(store.search(("users",), query="dark theme", limit=6)) == 6
    assert len(store.search(("users",), query="dark theme", limit=2, offset=5)) == 1


def test_many_items_that_say_the_same_ask_no_more_than_a_store_can_take(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as whole:
        whole.configure("recall.embedder", "off")
        store = LaminaStore(whole)
        said = ("prefers the dark theme", "likes a dark theme best")
        same = ({"text": said[n % 2]} for n in range(1_100))
        store.batch([PutOp(("users", str(n)), "taste", one) for n, one in enumerate(same)])
        assert len(store.search(("users",), query="dark theme", limit=300)) == 300


@pytest.mark.parametrize("ttl", [float("nan"), float("inf"), 1e300, "5"])
def test_a_time_that_is_none_is_refused(plain: Memory, ttl: Any) -> None:
    with pytest.raises(InvalidInputError, match="`ttl`"):
        LaminaStore(plain).put(("a",), "k", {"n": 1}, ttl=ttl)


def test_people_read_and_recall_what_graphs_put(plain: Memory) -> None:
    store = LaminaStore(plain)
    store.put(("users", "ada"), "taste", {"theme": "dark", "fonts": ["Serif", "Mono"]})
    store.put(
        ("users", "ada"), "bio", {"text": "Keeps bees in Kent", "cache": "zebra"}, index=["text"]
    )
    store.put(("users", "ada"), "raw", {"text": "unsearched giraffe"}, index=False)
    assert plain.get("users/ada//taste").text == "theme: dark\nfonts: Serif, Mono"
    assert plain.get("users/ada//bio").text == "Keeps bees in Kent"
    assert [hit.record.key for hit in plain.recall("bees in Kent").hits] == ["users/ada//bio"]
    assert not plain.recall("unsearched giraffe").hits
    assert not store.search((), query="zebra")
    assert not store.search((), query="unsearched giraffe raw")
    found = store.get(("users", "ada"), "raw")
    assert found is not None
    assert found.value == {"text": "unsearched giraffe"}


def test_a_replaced_value_stays_in_the_history_and_a_deleted_one_can_come_back(
    plain: Memory,
) -> None:
    store = LaminaStore(plain)
    store.put(("d",), "k", {"v": 1})
    first = store.get(("d",), "k")
    store.put(("d",), "k", {"v": 2})
    second = store.get(("d",), "k")
    assert first is not None
    assert second is not None
    assert second.created_at == first.created_at
    assert second.updated_at >= first.updated_at
    versions = plain.history("d//k")
    assert [v.record.data["value"] for v in versions if v.record] == [{"v": 1}, {"v": 2}]
    record = plain.get("d//k").id
    store.delete(("d",), "k")
    assert store.get(("d",), "k") is None
    assert not store.list_namespaces()
    plain.undo(plain.history(record)[-1].event.tx)
    again = store.get(("d",), "k")
    assert again is not None
    assert again.value == {"v": 2}


def test_of_a_batch_reads_come_first_the_last_write_wins_and_all_is_one_commit(
    plain: Memory,
) -> None:
    store = LaminaStore(plain)
    store.put(("d",), "gone", {"v": 0})
    before = plain.cursor()
    results = store.batch(
        [
            PutOp(("d",), "k", {"v": 1}),
            GetOp(("d",), "gone"),
            PutOp(("d",), "gone", None),
            PutOp(("d",), "k", {"v": 2}),
            SearchOp(("d",)),
            PutOp(("d",), "never", {"v": 1}),
            PutOp(("d",), "never", None),
        ]
    )
    assert results[1] is not None
    assert [one.key for one in results[4]] == ["gone"]  # type: ignore[union-attr]
    assert {one.key: one.value for one in store.search(("d",))} == {"k": {"v": 2}}
    assert len({change.event.tx for change in plain.changes(before)}) == 1


def test_nothing_of_a_batch_happens_if_one_part_is_wrong(plain: Memory) -> None:
    store = LaminaStore(plain)
    good = PutOp(("d",), "k", {"v": 1})
    for bad in (
        PutOp(("a.b",), "k", {}),
        PutOp(("d",), "k2", {"v": object()}),
        PutOp(("d",), "k2", {"v": "x" * 2**20}),
        PutOp(("d",), 1, {}),  # type: ignore[arg-type]
        PutOp(("d",), "k2", ["v"]),  # type: ignore[arg-type]
        "get",
    ):
        with pytest.raises(ValueError, match="."):
            store.batch([good, bad])  # type: ignore[list-item]
    assert not store.search(())
    with pytest.raises(InvalidNamespaceError):
        store.put(("langgraph",), "k", {})


def test_a_secret_is_sealed_and_comes_back_to_who_asks_for_it_by_name(plain: Memory) -> None:
    value = {"password": "hunter2-Kx9!", "login": {"user": "ada"}, "note": "use hunter2-Kx9! there"}
    store = LaminaStore(plain)
    store.put(("d",), "k", value)
    kept = plain.get("d//k")
    assert "hunter2" not in kept.text + str(kept.data)
    found = store.get(("d",), "k")
    assert found is not None
    assert found.value == value
    assert "hunter2" not in str(store.search(("d",))[0].value)
    (shown,) = LaminaStore(plain, reveal="always").search(("d",))
    assert shown.value == value
    never = LaminaStore(plain, reveal="never").get(("d",), "k")
    assert never is not None
    assert never.value["password"].startswith("secret://")
    # What a search showed may be put back, and is still the same.
    store.put(("d",), "k", {**store.search(("d",))[0].value, "login": {"user": "bob"}})
    found = store.get(("d",), "k")
    assert found is not None
    assert found.value == {**value, "login": {"user": "bob"}}


def test_a_secret_is_no_name(plain: Memory) -> None:
    with pytest.raises(InvalidInputError, match="holds a secret"):
        LaminaStore(plain).put(("keys", "AKIAQ3EGRT7WLMZK4VHD"), "k", {"v": 1})


def test_items_run_out_and_are_swept(whole: Memory, day: Day) -> None:
    store = LaminaStore(whole, ttl={"default_ttl": 2 * DAY, "refresh_on_read": True})
    store.put(("d",), "short", {"v": 1})
    store.put(("d",), "read", {"v": 1})
    store.put(("d",), "long", {"v": 1}, ttl=None)
    day.passed = 1
    assert store.get(("d",), "short", refresh_ttl=False)
    assert store.get(("d",), "read")
    assert store.sweep_ttl() == 0
    day.passed = 2
    assert {one.key for one in store.search(("d",), refresh_ttl=False)} == {"read", "long"}
    assert store.get(("d",), "short") is None
    assert (store.sweep_ttl(), store.sweep_ttl()) == (1, 0)
    day.passed = 4
    assert {one.key for one in store.search(("d",))} == {"long"}
    store.put(("d",), "read", {"v": 2})
    assert store.get(("d",), "read") is not None


def test_two_agents_have_a_store_each(plain: Memory) -> None:
    ada, bob = (LaminaStore(plain.agent(name, project="web")) for name in ("ada", "bob"))
    ada.put(("d",), "k", {"text": "the well is in the garden"})
    assert bob.get(("d",), "k") is None
    assert not bob.search(())
    assert not bob.search((), query="well")
    assert not bob.list_namespaces()
    assert not LaminaStore(plain).search(())
    assert not LaminaStore(plain).list_namespaces()
    bob.put(("d",), "k", {"v": 2})
    bob.delete(("d",), "k")
    found = ada.get(("d",), "k")
    assert found is not None
    assert found.value == {"text": "the well is in the garden"}


def test_who_shares_a_scope_replaces_what_others_of_it_have_put(plain: Memory) -> None:
    LaminaStore(plain.project("web")).put(("d",), "k", {"v": "the user's"})
    orchestrator = LaminaStore(plain.agent("boss", project="web", role="orchestrator"))
    orchestrator.put(("d",), "k", {"v": "the orchestrator's"})
    found = LaminaStore(plain.project("web")).get(("d",), "k")
    assert found is not None
    assert found.value == {"v": "the orchestrator's"}


def test_store_and_threads_on_a_server(plain: Memory) -> None:
    with serving(plain) as served, lamina.connect(served.url, key=served.key) as afar:
        store, saver = LaminaStore(afar), LaminaCheckpointer(afar)
        store.put(("d",), "k", {"text": "the harbour is closed", "password": "hunter2-Kx9!"})
        assert [one.key for one in store.search((), query="harbour")] == ["k"]
        found = LaminaStore(plain).get(("d",), "k")
        assert found == store.get(("d",), "k")
        assert found is not None
        assert found.value["password"] == "hunter2-Kx9!"
        store.delete(("d",), "k")
        assert LaminaStore(plain).get(("d",), "k") is None
        thread: RunnableConfig = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
        saver.put_writes(saver.put(thread, empty_checkpoint(), {}, {}), [("c", 1)], "task")
        kept = LaminaCheckpointer(plain).get_tuple(thread)
        assert kept is not None
        assert kept.pending_writes == [("task", "c", 1)]
        saver.delete_thread("t")
        assert LaminaCheckpointer(plain).get_tuple(thread) is None


def test_several_at_once_on_one_store(tmp_path: Path) -> None:
    """Each with a connection of its own, as processes have."""
    failures: list[BaseException] = []
    with lamina.open(str(tmp_path / "store")) as memory:
        memory.configure("recall.embedder", "off")

    def work(n: int) -> None:
        try:
            with lamina.open(str(tmp_path / "store")) as memory:
                store = LaminaStore(memory)
                for turn in range(8):
                    store.put(("shared",), "one", {"by": n, "turn": turn})
                    store.put(("own", str(n)), str(turn), {"v": turn})
                    store.delete(("shared",), "one")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not failures
    with lamina.open(str(tmp_path / "store")) as memory:
        assert len(LaminaStore(memory).search(("own",), limit=100)) == 24


def test_calls_that_are_awaited_together_are_one_commit(plain: Memory) -> None:
    async def together() -> None:
        store = AsyncLaminaStore(LaminaStore(plain))
        await asyncio.gather(*(store.aput(("d",), str(n), {"v": n}) for n in range(40)))
        assert len(await store.asearch(("d",), limit=50)) == 40
        with pytest.raises(asyncio.InvalidStateError):
            store.get(("d",), "1")

    before = plain.cursor()
    asyncio.run(together())
    assert len({change.event.tx for change in plain.changes(before)}) == 1


def test_an_embedder_of_ones_own_ranks_alone(plain: Memory) -> None:
    async def embed(texts: Sequence[str]) -> list[list[float]]:
        return [[text.count("a"), text.count("b"), 1.0] for text in texts]

    index: IndexConfig = {"dims": 3, "embed": embed, "fields": ["text", "also[*]"]}
    store = LaminaStore(plain, index=index)

    async def asked() -> list[tuple[str, float | None]]:
        await store.aput(("d",), "as", {"text": "aaaa"})
        await store.aput(("d",), "bs", {"text": "aaaa", "also": ["bbbbbb", "a"]})
        await store.aput(("d",), "no", {"text": "bbbbbb"}, index=False)
        found = await store.asearch(("d",), query="bbbb")
        return [(one.key, one.score and round(one.score, 2)) for one in found]

    # The nearest text of an item counts: (0, 6, 1) and (4, 0, 1), each against (0, 4, 1).
    assert asyncio.run(asked()) == [("bs", 1.0), ("as", 0.06)]
    wrong = LaminaStore(plain, index={**index, "dims": 4})
    with pytest.raises(InvalidInputError, match="4 dims"):
        asyncio.run(wrong.aput(("d",), "k", {"text": "a"}))
