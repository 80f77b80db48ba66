"""`lamina model` and `lamina propose`: a model named, asked, paid for, and believed little."""

import json
from collections.abc import Iterator

import pytest

from tests.embedders import servers
from tests.embedders.servers import KEY, Service, serving
from tests.models.servers import USAGE, whole
from tests.surfaces.shell import Call

FINN = ("--as", "finn", "--project", "web")
FACT = {"kind": "preference", "key": "editor", "text": "Ann writes in vim", "from": "m1",
        "quote": "I write in vim"}  # fmt: skip
LESSON = {"kind": "pitfall", "text": "Clear the cache first", "from": "m1",
          "quote": "The cache was stale"}  # fmt: skip


@pytest.fixture
def service(lamina: Call, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """A model that the environment names; what it says is for the tests to choose."""
    with serving(servers.saying(whole("hello", usage=USAGE))) as running:
        monkeypatch.setenv("LAMINA_MODEL_URL", f"{running.url}/v1")
        monkeypatch.setenv("LAMINA_MODEL_NAME", "tiny")
        monkeypatch.setenv("LAMINA_MODEL_KEY", KEY)
        lamina("remember", "The kettle leaks", *FINN)
        yield running


def test_a_model_is_shown_with_what_it_has_cost(lamina: Call, service: Service) -> None:
    told = lamina("model", "--project", "web", "--json").json
    assert told == {
        "model": "tiny", "url": f"{service.url}/v1", "project": "project/web", "used_today": 0,
        "per_day": 2_000_000, "per_job": 500_000,
    }  # fmt: skip
    tested = lamina("model", "--test", "--project", "web", "--json").json
    assert (tested["answer"], tested["used"], tested["used_today"]) == ("hello", 18, 18)
    shown = lamina("model", "--project", "web")
    assert "tiny" in shown.out
    assert KEY not in shown.out
    assert KEY not in lamina("config", "show").out


def test_without_a_model_it_is_said_how_to_have_one(lamina: Call) -> None:
    lamina("remember", "The kettle leaks")
    assert lamina("model", "--json").json == {"model": None}
    assert "lamina config set model.url" in lamina("model").err
    for asked in (("propose", "facts"), ("model", "--test")):
        refused = lamina(*asked)
        assert (refused.status, "no model is configured" in refused.err) == (2, True)


def test_a_model_that_fails_or_may_not_be_asked_is_an_exit_status(
    lamina: Call, service: Service
) -> None:
    service.behaviours[:] = [servers.failing(401)]
    assert lamina("model", "--test").status == 10
    lamina("config", "set", "model.tokens_per_day", "50")
    over = lamina("model", "--test", "--json")
    assert (over.status, over.json["error"]["code"]) == (10, "budget")
    assert len(service.asked) == 1


def test_facts_are_proposed_and_accepted(lamina: Call, service: Service) -> None:
    lamina("remember", "I write in vim", "--layer", "session", "--kind", "user", "--scope",
           "project/web/agent/finn/session/s-1", *FINN)  # fmt: skip
    service.behaviours[:] = [servers.saying(whole(json.dumps([FACT, {**FACT, "quote": "no"}])))]
    tried = lamina("propose", "facts", "--dry-run", "--json", *FINN).json
    assert [(one["id"], one["text"]) for one in tried["proposals"]] == [(None, FACT["text"])]
    told = lamina("propose", "facts", "--session", "s-1", *FINN)
    [row] = told.out.splitlines()
    name = row.split("\t")[0]
    assert "Left out: statement 2" in told.err
    assert "Nothing was proposed" in lamina("propose", *FINN).err
    assert lamina("fact", "get", "editor", *FINN).status == 3
    # Whoever reviews it sees which words it rests on, where they stand, and who read them.
    [said] = lamina("list", "--layer", "session", "-q", *FINN).out.split()
    rests_on = f"tiny read 'I write in vim' in {said}"
    [waiting] = lamina("promote", "--review").out.splitlines()
    assert (waiting.split("\t")[0], waiting.split("\t")[-1]) == (name, rests_on)
    accepted = lamina("accept", name)
    assert (accepted.status, rests_on in accepted.err) == (0, True)
    assert FACT["text"] in lamina("fact", "get", "editor", *FINN).out


def test_lessons_are_proposed(lamina: Call, service: Service) -> None:
    lamina("episodes", "record", "t-1", "failed", "The cache was stale", *FINN)
    service.behaviours[:] = [servers.saying(whole(json.dumps([LESSON])))]
    name = lamina("propose", "lessons", "--task", "t-1", "-q", *FINN).out.strip()
    listed = lamina("list", "--state", "proposed", "--project", "web", "--json").json
    assert [one["id"] for one in listed["records"]] == [name]


def test_a_task_that_ends_is_learned_from_where_that_is_switched_on(
    lamina: Call, service: Service
) -> None:
    web = ("--project", "web")
    service.behaviours[:] = [servers.saying(whole(json.dumps([LESSON])))]
    for name, state in (("t-1", "off"), ("t-2", "on")):
        lamina("config", "set", "propose.lessons", state)
        lamina("tasks", "add", name, "Build it", *web)
        lamina("episodes", "record", name, "failed", "The cache was stale", *web)
        assert lamina("tasks", "move", name, "active", *web).status == 0
        assert lamina("tasks", "move", name, "dropped", *web).status == 0
        assert len(service.asked) == (1 if state == "on" else 0)
    listed = lamina("list", "--state", "proposed", *web, "--json").json
    assert [one["text"] for one in listed["records"]] == [LESSON["text"]]
