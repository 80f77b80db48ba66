"""The overview: what is within sight, what it is worth, and what it costs to say so."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

from lamina import Memory, clock
from lamina.layers.episodes import Course
from lamina.surfaces.http.stock import Stock
from tests.http.asking import Api, api, plain

__all__ = ["api", "plain"]
WORK: Course = {"approach": "a way", "tokens_in": 1_000, "tokens_out": 100}


@contextmanager
def days_ago(days: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    then = clock.now() - timedelta(days=days)
    with monkeypatch.context() as patched:
        patched.setattr(clock, "now", lambda: then)
        yield


def figures(api: Api, **said: Any) -> dict[str, Any]:
    """The figures once all of them are there and none waits to be made anew."""
    while True:
        told = api.told("GET", "/api/overview/figures", **said)
        if told["again_ms"] is None:
            return told


def test_an_overview_tells_what_is_within_sight(api: Api) -> None:
    finn = api.memory.agent("finn", project="web")
    finn.now.update("Ship it", ["Tag it"])
    api.memory.agent("otto", project="web").log.append("THOUGHT", "hm")
    api.memory.project("other").knowledge.put("fact", "k", "v")
    told = api.told("GET", "/api/overview")
    assert told["projects"] == ["other", "web"]
    assert [one.pop("updated_at") is None for one in told["agents"]] == [False, True]
    assert told["agents"] == [
        {"name": "finn", "scope": "project/web/agent/finn", "objective": "Ship it"},
        {"name": "otto", "scope": "project/web/agent/otto", "objective": ""},
    ]
    assert (told["layers"]["knowledge"], told["layers"]["now"]) == (1, 2)
    assert told["records"] == sum(told["layers"].values()) == 4
    assert told["tokens"] == sum(told["layer_tokens"].values()) > 0
    sizes = {one["name"]: (one["records"], one["agents"]) for one in told["project_sizes"]}
    assert sizes == {"other": (1, 0), "web": (3, 2)}
    maya = api.told("GET", "/api/overview", headers=api.key("maya", "agent", "other"))
    assert (maya["projects"], maya["agents"], maya["records"]) == (["other"], [], 1)


def test_an_overview_goes_with_what_is_written(api: Api) -> None:
    assert api.told("GET", "/api/overview")["layers"]["knowledge"] == 0
    api.memory.remember("something new")
    while (told := api.told("GET", "/api/overview"))["again_ms"] is not None:
        pass
    assert told["layers"]["knowledge"] == 1


def test_recalls_that_abstain_are_counted_for_those_who_may_know(api: Api) -> None:
    web = api.key("finn", "agent", "web")
    api.told("POST", "/api/records", headers=web, json={"text": "Deploys go out on Tuesdays"})
    for query in ("when do deploys go out", "the colour of the moon"):
        api.told("POST", "/api/search", headers=web, json={"query": query})
    api.told("POST", "/api/search", json={"query": "the colour of the moon"})
    # Who types in the pages has not asked yet.
    api.told("POST", "/api/search", headers=web, json={"query": "the col", "tentative": True})

    def told(headers: dict[str, str]) -> tuple[int, int]:
        found = figures(api, headers=headers)["recalls"]
        return found["asked"], found["abstained"]

    assert told(api.owner) == (3, 2)
    assert told(web) == told(api.key("rita", "reader", "web")) == (2, 1)
    assert told(api.key("maya", "agent", "other")) == (0, 0)


def test_what_repeats_and_what_has_faded_is_what_the_plans_would_take(
    plain: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with days_ago(500, monkeypatch):
        plain.agent("finn", project="web").remember("The wiki lists the numbers")
    api = Api(plain)
    web = api.memory.project("web")
    for end in ("", ".", "!"):
        web.remember(f"Uploads are retried{end}", kind="pattern")
    web.remember("Uploads are not retried", kind="pattern")
    told = figures(api)["knowledge"]
    repeated, stale = api.memory.lifecycle.plans("consolidation", "stale")
    assert (told["known"], told["repeated"], told["stale"]) == (5, repeated.takes, stale.takes)
    assert (repeated.takes, stale.takes) == (2, 1)
    other = figures(api, headers=api.key("maya", "agent", "other"))["knowledge"]
    assert (other["known"], other["repeated"], other["stale"]) == (0, 0, 0)


def test_tokens_are_summed_over_all_attempts_by_day_and_agent(
    plain: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    finn, otto = (plain.agent(name, project="web") for name in ("finn", "otto"))
    with days_ago(40, monkeypatch):
        finn.episode.record("t-1", "failed", **WORK)
        finn.episode.record("t-1", "failed", approach="tells nothing of tokens")
    with days_ago(3, monkeypatch):
        otto.episode.record("t-1", "completed", **WORK)
    api = Api(plain)
    otto.episode.record("t-2", "completed", **WORK)
    # What went to the archive was spent all the same.
    api.memory.lifecycle.apply(*api.memory.lifecycle.plans("retention"))
    told = figures(api)["spent"]
    assert (told["episodes"], told["tokens_in"], told["tokens_out"]) == (4, 3_000, 300)
    assert [one["tokens"] for one in told["days"]] == [0] * 10 + [1_100, 0, 0, 1_100]
    assert told["agents"] == [{"name": "otto", "tokens": 2_200}, {"name": "finn", "tokens": 1_100}]
    assert figures(api, headers=api.key("maya", "agent", "other"))["spent"]["episodes"] == 0


def test_a_figure_is_made_once_for_all_who_ask_and_rests(api: Api) -> None:
    stock, made = Stock(api.memory.store), []
    may_go = threading.Event()

    def slow(breathe: Any) -> int:
        made.append(1)
        may_go.wait(5)
        breathe()
        return len(made)

    assert stock.soon("it", slow) is None
    assert stock.again_ms(None) is not None
    may_go.set()
    while (found := stock.soon("it", slow)) is None:
        pass
    api.memory.remember("a change")
    assert stock.soon("it", slow) == found
    assert len(made) == 1
    wait = stock.again_ms(found)
    # It took a moment, so it is not made again for a good while.
    assert wait is not None
    assert wait > 1_000
    stock.close()


def test_a_figure_that_fails_is_left_alone_and_made_later(
    api: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    at, tried = [100.0], []
    monkeypatch.setattr("lamina.surfaces.http.stock.stopwatch", lambda: at[0])
    stock = Stock(api.memory.store)

    def failing(breathe: Any) -> int:
        breathe()
        tried.append(1)
        if len(tried) == 1:
            raise ZeroDivisionError
        return 7

    assert stock.soon("it", failing) is None
    assert "a figure could not be made" in caplog.text
    assert stock.soon("it", failing) is None
    assert len(tried) == 1
    at[0] += 60
    found = stock.soon("it", failing)
    assert found is not None
    assert found.value == 7
    stock.close()


def test_what_is_being_made_ends_with_the_server(api: Api) -> None:
    stock, begun, ended = Stock(api.memory.store), threading.Event(), threading.Event()

    def endless(breathe: Any) -> None:
        begun.set()
        try:
            while True:
                breathe()
        finally:
            ended.set()

    assert stock.soon("it", endless) is None
    assert begun.wait(5)
    stock.close()
    assert ended.wait(5)
    assert stock.soon("it", endless) is None
