"""The change feed through the front door: once, in order, resumable, awake, and confined."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

import lamina
from lamina import Memory
from lamina.core.cursor import parse_cursor
from lamina.core.record import State
from lamina.errors import ForbiddenError, InvalidInputError, StoreError
from tests.places import mem

__all__ = ["mem"]


def said(mem: Memory, after: str | None = None, **fields: object) -> list[str | None]:
    changes = mem.changes(after, **fields)  # type: ignore[arg-type]  # passed through as given
    return [change.record.text if change.record else None for change in changes]


def test_a_feed_tells_what_happened_with_what_was_there_before(mem: Memory) -> None:
    first = mem.remember("Postgres 15", key="db")
    mem.remember("Postgres 16", key="db")
    mem.forget("db")
    changes = list(mem.changes())
    assert [(one.event.action, one.event.rev) for one in changes] == [
        ("created", 1), ("revised", 2), ("moved", 3),
    ]  # fmt: skip
    assert [one.before.text if one.before else None for one in changes] == [
        None, "Postgres 15", "Postgres 16",
    ]  # fmt: skip
    assert {one.event.record for one in changes} == {first.id}
    assert changes[2].record is not None
    assert changes[2].record.state is State.FORGOTTEN


def test_every_change_carries_a_place_to_go_on_from(mem: Memory) -> None:
    for number in range(7):
        mem.remember(f"note {number}", scope=("global", "user/ann", "project/web")[number % 3])
    changes = list(mem.changes())
    assert len(changes) == 7
    for number, change in enumerate(changes):
        rest = [one.event for one in mem.changes(after=change.cursor)]
        assert rest == [one.event for one in changes[number + 1 :]]


def test_a_feed_can_be_left_and_taken_up_again(mem: Memory) -> None:
    for number in range(9):
        mem.remember(f"note {number}")
    feed = mem.changes()
    assert feed.cursor == mem.changes().cursor
    heard = [next(feed).event.seq for _ in range(4)]
    for number in range(9, 12):
        mem.remember(f"note {number}")
    heard += [change.event.seq for change in mem.changes(after=feed.cursor)]
    assert heard == list(range(1, 13))
    assert said(mem, mem.cursor()) == []


def test_a_followed_feed_wakes_for_what_happens_next(mem: Memory) -> None:
    mem.remember("before")
    with (
        mem.changes(after=mem.cursor(), follow=True) as feed,
        ThreadPoolExecutor(1) as pool,
    ):
        waiting = pool.submit(next, feed)
        mem.remember("after")
        change = waiting.result(timeout=30)
    assert change.record is not None
    assert change.record.text == "after"


def test_a_followed_feed_ends_after_a_time_of_silence(mem: Memory) -> None:
    mem.remember("one")
    mem.remember("two")
    assert said(mem, follow=True, timeout=0.05) == ["one", "two"]
    assert said(mem, mem.cursor(), follow=True, timeout=0) == []


def test_a_feed_closed_by_another_thread_ends(mem: Memory) -> None:
    feed = mem.changes(follow=True)
    threading.Timer(0.05, feed.close).start()
    assert list(feed) == []


def test_a_feed_may_look_at_one_scope(mem: Memory) -> None:
    mem.remember("everywhere")
    mem.remember("of the project", scope="project/web")
    mem.remember("of a task", scope="project/web/task/t-1")
    mem.remember("of another", scope="project/web2")
    assert said(mem, scope="project/web") == ["of the project", "of a task"]
    assert said(mem, scope="project/web/task/t-1") == ["of a task"]


def test_a_handle_hears_of_its_own_world_alone(mem: Memory) -> None:
    ann, bob = mem.agent("ann", project="web"), mem.agent("bob", project="web")
    mem.remember("for all", kind="fact", layer="knowledge")
    mem.project("web").remember("for the project", layer="knowledge")
    ann.remember("for ann", layer="notebook")
    bob.remember("for bob", layer="notebook")
    mem.project("shop").remember("for the shop")
    assert said(ann) == ["for all", "for the project", "for ann"]
    assert said(bob) == ["for all", "for the project", "for bob"]
    assert said(mem.project("web")) == ["for all", "for the project", "for ann", "for bob"]
    streams = parse_cursor(ann.cursor(), "cursor").seqs
    assert set(streams) == {"global", "project/web"}


def test_an_agent_that_hears_nothing_still_moves_on(mem: Memory) -> None:
    ann, bob = mem.agent("ann", project="web"), mem.agent("bob", project="web")
    feed = ann.changes()
    for number in range(5):
        bob.remember(f"note {number}", layer="notebook")
    assert list(feed) == []
    assert parse_cursor(feed.cursor, "cursor").seqs == {"project/web": 5}


def test_a_scope_beyond_reach_is_refused_whether_it_exists_or_not(mem: Memory) -> None:
    mem.remember("there is one", scope="project/shop")
    web = mem.project("web")
    errors = []
    for scope in ("project/shop", "project/none", "user/ann"):
        with pytest.raises(ForbiddenError) as refusal:
            web.changes(scope=scope)
        errors.append(str(refusal.value).replace(scope, "…"))
    assert len(set(errors)) == 1


def test_a_cursor_of_another_store_is_refused(mem: Memory) -> None:
    mem.remember("here")
    with lamina.open(":memory:") as other:
        other.remember("there")
        foreign = other.cursor()
    for call in (lambda: mem.changes(after=foreign), lambda: mem.get("x", as_of=foreign)):
        with pytest.raises(InvalidInputError, match="another store"):
            call()


def test_a_cursor_from_a_history_that_was_taken_back_is_refused(mem: Memory) -> None:
    mem.remember("one")
    here = parse_cursor(mem.cursor(), "cursor")
    ahead = replace(here, places={"global": (9, here.places["global"][1])})
    turned = replace(here, places={"global": (1, "0" * 12)})
    for cursor in (ahead, turned):
        with pytest.raises(InvalidInputError, match="restored or rolled back"):
            mem.changes(after=cursor.to_text())
        with pytest.raises(InvalidInputError, match="restored or rolled back"):
            mem.recall("one", as_of=cursor.to_text())


@pytest.mark.parametrize(
    "text",
    ["", "c1.", "c1.!!!", "c1.AAAA", "c2.eJw", "c1." + "A" * 5_000_000, "2026-03-01", 7, b"c1.x"],
)
def test_what_is_no_cursor_is_refused(text: str, tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem, pytest.raises(InvalidInputError, match="not a cursor"):
        mem.changes(after=text)


@pytest.mark.parametrize(
    "name",
    ["", "nonsense", "project", "project/", "project/web/task/t-1", "Global", "user/a b", "x" * 9],
)
def test_a_cursor_that_names_no_stream_is_refused(name: str, mem: Memory) -> None:
    mem.remember("one")
    here = parse_cursor(mem.cursor(), "cursor")
    for cursor in (
        replace(here, places={**here.places, name: (1, "0" * 12)}),
        replace(here, within=("global", name)),
    ):
        for call in (mem.changes, mem.events):
            with pytest.raises(InvalidInputError, match="not a cursor"):
                call(after=cursor.to_text())


@pytest.mark.parametrize("timeout", [-1, "soon", float("nan"), float("inf"), True])
def test_what_is_no_time_to_wait_is_refused(timeout: float, tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem, pytest.raises(InvalidInputError, match="`timeout`"):
        mem.changes(follow=True, timeout=timeout)


def test_a_closed_store_ends_its_feeds(tmp_path: Path) -> None:
    mem = lamina.open(tmp_path)
    feed = mem.changes(follow=True)
    threading.Timer(0.05, mem.close).start()
    with pytest.raises(StoreError, match="closed"):
        next(feed)


def test_a_cursor_of_a_handle_that_sees_less_is_refused(mem: Memory) -> None:
    web, shop = mem.project("web"), mem.project("shop")
    for handle in (mem, web, shop):
        handle.remember("something")
    for handle in (mem, web):
        with pytest.raises(InvalidInputError, match="sees less"):
            handle.changes(after=shop.cursor())
    assert said(web, mem.cursor()) == said(web, web.cursor()) == []


def test_a_span_ago_may_be_asked_about(mem: Memory) -> None:
    mem.remember("just now", key="k")
    assert mem.count(as_of="1h") == 0
    assert mem.count(as_of="0s") == 1


def test_a_cursor_of_a_feed_on_one_scope_speaks_of_no_other(mem: Memory) -> None:
    mem.remember("of web", scope="project/web")
    mem.remember("of shop", scope="project/shop")
    feed = mem.changes(scope="project/web")
    assert len(list(feed)) == 1
    assert said(mem, feed.cursor, scope="project/web") == []
    for call in (lambda: mem.changes(after=feed.cursor), lambda: mem.count(as_of=feed.cursor)):
        with pytest.raises(InvalidInputError, match="sees less"):
            call()
