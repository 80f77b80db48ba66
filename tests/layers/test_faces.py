"""The layers as users speak of them, on every store."""

import itertools
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

import lamina
from lamina import ConflictError, InvalidInputError, Memory, NotFoundError
from lamina.layers.schemas import Schema
from tests.places import STORES, where


@pytest.fixture(params=STORES)
def whole(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with lamina.open(where(request.param, tmp_path / "store")) as opened:
        opened.configure("recall.embedder", "off")
        yield opened


@pytest.fixture
def finn(whole: Memory) -> Memory:
    return whole.agent("finn", project="web")


def test_now_is_overwritten_and_keeps_what_is_not_said(finn: Memory) -> None:
    assert finn.now.read().objective == ""
    finn.now.update("ship the parser", ["write it", "test it"])
    finn.now.update(next_steps=["test it"])
    status = finn.now.read()
    assert (status.objective, status.next_steps) == ("ship the parser", ("test it",))
    assert status.updated_at is not None
    with pytest.raises(InvalidInputError, match="nothing to update"):
        finn.now.update()
    with pytest.raises(InvalidInputError, match="list of texts"):
        finn.now.update(next_steps="test it")


def test_now_is_not_overwritten_by_who_read_it_before(finn: Memory) -> None:
    assert finn.now.read().rev == 0
    finn.now.update("ship the parser", expect=0)
    read = finn.now.read()
    finn.now.update(next_steps=["test it"], expect=read.rev)
    for late in (0, read.rev):
        with pytest.raises(ConflictError, match="the status has changed"):
            finn.now.update("ship the lexer", expect=late)
    now = finn.now.read()
    assert (now.objective, now.next_steps) == ("ship the parser", ("test it",))
    assert now.rev > read.rev
    with pytest.raises(InvalidInputError, match="expect"):
        finn.now.update("x", expect=cast("int", "1"))


def test_now_is_an_agents_own(whole: Memory, finn: Memory) -> None:
    finn.now.update("ship the parser")
    assert whole.agent("maya", project="web").now.read().objective == ""


def test_the_log_has_its_tail_in_order(finn: Memory) -> None:
    finn.log.system("started")
    finn.log.tool_use("grep", "grep -r TODO", hits=3)
    finn.log.error("exit status 2")
    tail = finn.log.tail(2)
    assert [(entry.kind, entry.text) for entry in tail] == [
        ("TOOL_USE", "grep -r TODO"),
        ("ERROR", "exit status 2"),
    ]
    assert tail[0].data == {"tool": "grep", "hits": 3}
    assert [entry.text for entry in finn.log.tail(kind="SYSTEM")] == ["started"]
    with pytest.raises(InvalidInputError, match="kind"):
        finn.log.append("GOSSIP", "they say")


def test_facts_are_saved_and_changed_by_key(finn: Memory) -> None:
    assert finn.fact.get("editor") is None
    finn.fact.save("editor", "vim", "preference")
    finn.fact.save("editor", "helix", "preference")
    finn.fact.save("shell", "fish")
    assert finn.fact.get("editor") == "helix"
    assert finn.fact.all("preference") == {"editor": "helix"}
    assert set(finn.fact.all()) == {"editor", "shell"}
    finn.fact.forget("shell")
    assert finn.fact.get("shell") is None
    with pytest.raises(NotFoundError, match="shell"):
        finn.fact.forget("shell")


def test_knowledge_has_one_value_for_a_category_and_key(whole: Memory) -> None:
    web = whole.project("web")
    web.knowledge.put("convention", "imports", "absolute imports only", confidence=0.9)
    web.knowledge.put("decision", "imports", "decided in March")
    web.knowledge.put("convention", "imports", "relative imports in packages")
    found = web.knowledge.get("convention", "imports")
    assert found is not None
    assert (found.text, found.rev) == ("relative imports in packages", 2)
    assert {record.kind for record in web.knowledge.query()} == {"convention", "decision"}
    web.knowledge.delete("convention", "imports")
    assert web.knowledge.get("convention", "imports") is None
    assert whole.project("shop").knowledge.query() == []


def test_the_board_is_shared_and_knows_who_wrote(whole: Memory, finn: Memory) -> None:
    maya = whole.agent("maya", project="web")
    finn.blackboard.publish("task:7:status", "running")
    finn.blackboard.publish("task:7:progress", {"done": 3, "of": 9})
    maya.blackboard.publish("index:status", "fresh")
    signal = maya.blackboard.read("task:7:progress")
    assert signal is not None
    assert (signal.value, signal.publisher) == ({"done": 3, "of": 9}, "finn")
    assert list(maya.blackboard.list("task:7:")) == ["task:7:progress", "task:7:status"]
    maya.blackboard.clear("index:status")
    assert finn.blackboard.read("index:status") is None


def test_compare_and_set_on_the_board(finn: Memory) -> None:
    finn.blackboard.publish("lock", "finn", expect=0)
    with pytest.raises(lamina.ConflictError):
        finn.blackboard.publish("lock", "maya", expect=0)
    assert finn.blackboard.publish("lock", "maya", expect=1).receipt.rev == 2


def test_a_subscriber_gets_every_change_once_and_resumes(finn: Memory) -> None:
    start = finn.cursor()
    for number in range(3):
        finn.blackboard.publish("task:7:step", number)
    finn.blackboard.publish("other", "x")
    finn.blackboard.clear("task:7:step")
    news = list(finn.blackboard.subscribe("task:7:", after=start, timeout=0))
    values = [one.signal.value if one.signal else None for one in news]
    assert values == [0, 1, 2, None]
    later = finn.blackboard.subscribe("task:7:", after=news[1].cursor, timeout=0)
    assert [one.signal.value if one.signal else None for one in later] == [2, None]


def test_what_departs_from_a_declared_namespace_is_named(finn: Memory) -> None:
    finn.blackboard.declare(
        "task:", Schema({"task:{id}:status": "text", "task:{id}:done": "number"})
    )
    assert finn.blackboard.publish("task:7:status", "running").drift == ()
    assert finn.blackboard.publish("free", 1).drift == ()
    [odd] = finn.blackboard.publish("task:7:state", "running").drift
    assert "task:{id}:status" in odd
    [odd] = finn.blackboard.publish("task:7:done", "three").drift
    assert "number" in odd
    with pytest.raises(InvalidInputError, match="task:7:state"):
        finn.blackboard.publish("task:7:state", "x", strict=True)


def test_episodes_tell_what_worked(whole: Memory, finn: Memory) -> None:
    finn.episode.record("t-1", "attempted", approach="regex")
    finn.episode.record(
        "t-1", "failed", approach="regex", outcome="missed nested brackets", tokens_in=900
    )
    finn.episode.record("t-1", "completed", approach="parser", outcome="all tests pass",
                        duration_ms=1200, tokens_in=700, tokens_out=300)  # fmt: skip
    maya = whole.agent("maya", project="web")
    maya.episode.record("t-2", "completed", approach="parser", outcome="brackets handled")
    assert [one.kind for one in maya.episode.of_task("t-1")] == ["attempted", "failed", "completed"]
    assert [one.data["task"] for one in finn.episode.query(agent="maya")] == ["t-2"]
    best, worst = finn.episode.rates()
    assert (best.approach, best.success, best.completed) == ("parser", 1.0, 2)
    assert (best.duration_ms, best.tokens) == (1200, 1000)
    assert (worst.approach, worst.success) == ("regex", 0.0)
    hits = finn.episode.similar("brackets in nested tests")
    assert {hit.record.kind for hit in hits} == {"completed"}
    [span] = finn.episode.trend("finn")
    assert (span.completed, span.failed, span.tokens) == (1, 1, 1900)
    with pytest.raises(InvalidInputError, match="duration_ms"):
        finn.episode.record("t-1", "failed", duration_ms=-1)
    with pytest.raises(InvalidInputError, match="cost"):
        finn.episode.record("t-1", "failed", cost=3)  # type: ignore[call-arg]


def test_a_subscription_begins_when_it_is_made(finn: Memory) -> None:
    news = finn.blackboard.subscribe(timeout=0)
    finn.blackboard.publish("one", 1)
    assert [item.key for item in news] == ["one"]
    finn.blackboard.publish("two", 2)
    assert [item.key for item in finn.blackboard.subscribe(after=news.cursor, timeout=0)] == ["two"]


def test_a_signal_goes_when_its_time_is_over(finn: Memory) -> None:
    start = finn.cursor()
    finn.blackboard.publish("brief", "x", ttl="0s")
    finn.blackboard.publish("long", "y", ttl="7d")
    assert finn.blackboard.read("brief") is None
    assert list(finn.blackboard.list()) == ["long"]
    assert finn.blackboard.wait_for("brief", timeout=0) is None
    [gone, stands] = finn.blackboard.subscribe(after=start, timeout=0)
    assert (gone.key, gone.signal) == ("brief", None)
    assert stands.signal is not None
    assert stands.signal.expires_at is not None


def test_waiting_ends_though_other_things_happen(whole: Memory, finn: Memory) -> None:
    """A busy neighbour does not keep a subscriber waiting beyond its time."""
    over = threading.Event()

    def chatter() -> None:
        for number in itertools.count():
            finn.log.thought("hm")
            finn.blackboard.publish("other", number)
            if over.wait(0.02):
                break

    neighbour = threading.Thread(target=chatter)
    neighbour.start()
    try:
        maya = whole.agent("maya", project="web")
        assert maya.blackboard.wait_for("never", timeout=0.2) is None
        assert list(maya.blackboard.subscribe("never", timeout=0.2)) == []
    finally:
        over.set()
        neighbour.join()


def test_a_signal_wakes_a_thread_that_waits(whole: Memory, finn: Memory) -> None:
    heard: list[object] = []
    maya = whole.agent("maya", project="web")
    ready = threading.Event()

    def listen() -> None:
        with maya.blackboard.subscribe("task:7:", timeout=60) as news:
            ready.set()
            heard.extend(one.signal and one.signal.value for one in itertools.islice(news, 2))

    listener = threading.Thread(target=listen)
    listener.start()
    assert ready.wait(60)
    finn.blackboard.publish("task:7:status", "running")
    finn.blackboard.publish("task:8:status", "another task")
    finn.blackboard.publish("task:7:status", "done")
    listener.join(60)
    assert heard == ["running", "done"]


def test_a_subscription_that_waits_is_ended_by_another_thread(finn: Memory) -> None:
    news = finn.blackboard.subscribe()
    listener = threading.Thread(target=lambda: list(news))
    listener.start()
    news.close()
    listener.join(60)
    assert not listener.is_alive()


def test_declarations_add_up_and_are_checked(whole: Memory, finn: Memory) -> None:
    maya = whole.agent("maya", project="web")
    finn.blackboard.declare("task:", Schema({"task:{id}:status": "text"}))
    maya.blackboard.declare("index:", Schema({"index:status": "any"}))
    maya.blackboard.declare("task:", Schema({"task:{id}:state": "text"}))
    assert set(finn.blackboard.schemas()) == {"task:", "index:"}
    assert finn.blackboard.publish("task:7:status", "x").drift
    assert finn.blackboard.list() == {"task:7:status": finn.blackboard.read("task:7:status")}
    with pytest.raises(InvalidInputError, match="namespace"):
        finn.blackboard.declare("task", Schema({}))


def test_who_says_the_same_is_the_publisher_too(whole: Memory, finn: Memory) -> None:
    finn.blackboard.publish("index:status", "fresh")
    assert finn.blackboard.publish("index:status", "fresh").receipt.rev == 1
    whole.agent("maya", project="web").blackboard.publish("index:status", "fresh")
    signal = finn.blackboard.read("index:status")
    assert signal is not None
    assert (signal.publisher, signal.rev) == ("maya", 2)
