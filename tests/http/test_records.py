"""Records over HTTP: kept, read, changed, forgotten, taken back, erased, page by page."""

from typing import Any

import pytest

from lamina.surfaces import wire
from tests.http.asking import Api, api, plain

__all__ = ["api", "plain"]


def _keep(api: Api, **fields: Any) -> str:
    kept = api.told("POST", "/api/records", json={"text": "Sessions live in Redis", **fields})
    [outcome] = kept["outcomes"]
    return str(outcome["id"])


def test_a_record_is_what_the_library_says_it_is(api: Api) -> None:
    name = _keep(api, kind="decision", key="sessions", tags=["auth"], data={"by": ["ann"]})
    assert api.told("GET", f"/api/records/{name}") == wire.record_out(api.memory.get(name))
    assert api.told("GET", "/api/records/sessions")["id"] == name
    history = api.told("GET", f"/api/records/{name}/history")["versions"]
    assert history == [wire.version_out(one) for one in api.memory.history(name)]
    assert history[0]["event"]["surface"] == "http"


def test_several_are_kept_in_one_commit_or_none(api: Api) -> None:
    kept = api.told("POST", "/api/records", json={"records": [{"text": "one"}, {"text": "two"}]})
    assert len(kept["outcomes"]) == 2
    bad = {"records": [{"text": "three"}, {"text": "four", "layer": "nowhere"}]}
    assert api.refused("POST", "/api/records", json=bad)[:2] == (422, "invalid_input")
    assert api.told("GET", "/api/records")["total"] == 2


def test_a_request_that_is_repeated_keeps_nothing_twice(api: Api) -> None:
    once = {"headers": {"Idempotency-Key": "k-1"}, "json": {"text": "said once"}}
    first, second = (
        api.told("POST", "/api/records", **once),
        api.told("POST", "/api/records", **once),
    )
    assert (first["tx"], second["repeated"]) == (second["tx"], True)
    other = {**once, "json": {"text": "something else"}}
    assert api.refused("POST", "/api/records", **other)[:2] == (409, "conflict")
    assert api.memory.count({"layer": "knowledge"}) == 1


def test_the_etag_is_the_revision(api: Api) -> None:
    name = _keep(api)
    path = f"/api/records/{name}"
    assert api.ask("GET", path).headers["etag"] == '"1"'
    for known, status in (
        ('"1"', 304),
        ('W/"1"', 304),
        ('"7", "1"', 304),
        ("*", 304),
        ('"2"', 200),
    ):
        answer = api.ask("GET", path, headers={"If-None-Match": known})
        assert (answer.status_code, bool(answer.content)) == (status, status == 200)
    changed = {"json": {"text": "In Postgres"}, "headers": {"If-Match": '"1"'}}
    assert api.told("PATCH", path, **changed)["outcomes"][0]["rev"] == 2
    assert api.refused("PATCH", path, **changed)[:2] == (412, "conflict")
    expected = {"text": "In memory", "expect": 1}
    assert api.refused("PATCH", path, json=expected)[:2] == (409, "conflict")
    both = {"json": expected, "headers": {"If-Match": '"2"'}}
    assert api.refused("PATCH", path, **both)[:2] == (422, "invalid_input")
    odd = {"json": {"text": "x"}, "headers": {"If-Match": "abc"}}
    assert api.refused("PATCH", path, **odd)[:2] == (422, "invalid_input")
    assert api.told("GET", path)["text"] == "In Postgres"


def test_what_is_forgotten_comes_back_and_what_is_erased_does_not(api: Api) -> None:
    name = _keep(api, key="k")
    gone = api.told("DELETE", f"/api/records/{name}")
    assert api.refused("GET", "/api/records/k")[:2] == (404, "not_found")
    api.told("POST", "/api/undo", json={"tx": gone["tx"]})
    assert api.told("GET", "/api/records/k")["id"] == name
    report = api.told("POST", f"/api/records/{name}/erase")
    assert (report["records"], report["complete"]) == ([name], True)
    assert api.refused("GET", f"/api/records/{name}")[:2] == (404, "not_found")


def test_a_proposal_is_accepted_by_who_may(api: Api) -> None:
    api.told("PUT", "/api/settings/knowledge.accept", json={"value": "review"})
    finn = api.key("finn", "agent", "web")
    said = {"text": "Use tabs", "scope": "project/web"}
    kept = api.told("POST", "/api/records", json=said, headers=finn)["outcomes"][0]
    assert kept["state"] == "proposed"
    path = f"/api/records/{kept['id']}/accept"
    assert api.refused("POST", path, headers=finn)[:2] == (403, "forbidden")
    assert api.told("POST", path)["outcomes"][0]["state"] == "current"
    assert api.told("GET", "/api/lifecycle/proposals")["records"] == []


def test_pages_miss_nothing_and_repeat_nothing(api: Api) -> None:
    names = {_keep(api, text=f"number {n}") for n in range(7)}
    seen: list[str] = []
    page = api.told("GET", "/api/records?limit=3")
    while True:
        seen += [one["id"] for one in page["records"]]
        if page["cursor"] is None:
            break
        _keep(api, text=f"in between {len(seen)}")
        page = api.told("GET", f"/api/records?limit=3&cursor={page['cursor']}")
    assert (sorted(seen), len(seen)) == (sorted(names), 7)
    assert page["total"] == 9


@pytest.mark.parametrize("cursor", ["", "x", "p1.x.y", "p1.01kaf5r8q4m3n2p7d6s9t0v1w2.00000000"])
def test_a_cursor_of_nothing_is_refused(api: Api, cursor: str) -> None:
    assert api.refused("GET", f"/api/records?cursor={cursor}")[:2] == (422, "invalid_input")


def test_a_cursor_belongs_to_its_question(api: Api) -> None:
    for n in range(3):
        _keep(api, text=f"number {n}")
    cursor = api.told("GET", "/api/records?limit=1")["cursor"]
    other = f"/api/records?limit=1&kind=fact&cursor={cursor}"
    assert api.refused("GET", other)[:2] == (422, "invalid_input")


def test_a_list_is_filtered_by_name_by_filter_and_by_time(api: Api) -> None:
    old = _keep(api, kind="decision", importance=0.9)
    then = api.told("GET", "/api/cursor")["cursor"]
    api.told("PATCH", f"/api/records/{old}", json={"text": "Sessions live in Postgres"})
    _keep(api, text="Another", kind="pattern")

    def texts(**asked: str) -> list[str]:
        found = api.told("GET", "/api/records", params=asked)
        return [one["text"] for one in found["records"]]

    assert texts(kind="decision") == ["Sessions live in Postgres"]
    assert texts(where='{"importance": {"$gte": 0.8}}') == ["Sessions live in Postgres"]
    assert texts(as_of=then) == ["Sessions live in Redis"]
    assert texts(state="forgotten") == texts(scope="project/none") == []
    assert api.refused("GET", "/api/records?where=[1]")[:2] == (422, "invalid_input")


def test_a_clients_id_becomes_the_key(api: Api) -> None:
    name = _keep(api, id="mine-1")
    found = api.told("GET", "/api/records/mine-1")
    assert (found["id"], found["key"]) == (name, "mine-1")
    both = {"text": "x", "id": "a", "key": "b"}
    assert api.refused("POST", "/api/records", json=both)[:2] == (422, "invalid_input")


@pytest.mark.parametrize(
    "field", ["trust", "created_at", "updated_at", "rev", "state", "expires_at", "tokens"]
)
def test_what_the_store_decides_is_not_taken_from_a_client(api: Api, field: str) -> None:
    said = {"text": "x", field: "user"}
    status, code, message = api.refused("POST", "/api/records", json=said)
    assert (status, code) == (422, "invalid_input")
    assert f"`{field}`" in message
    name = _keep(api)
    assert api.refused("PATCH", f"/api/records/{name}", json=said)[:2] == (422, "invalid_input")


def test_only_those_who_answer_for_others_name_a_source(api: Api) -> None:
    said = {"text": "Ann said so", "source": "ann", "scope": "project/web"}
    finn = api.key("finn", "agent", "web")
    assert api.refused("POST", "/api/records", json=said, headers=finn)[:2] == (403, "forbidden")
    boss = api.key("boss", "orchestrator", "web")
    for headers in ({}, boss):
        kept = api.told("POST", "/api/records", json=said, headers=headers)["outcomes"][0]
        assert api.memory.get(kept["id"]).source == "ann"
