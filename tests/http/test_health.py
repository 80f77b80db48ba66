"""Health tells what the server did, metrics how often, and the schema what it can be asked."""

import re
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.errors import StoreUnavailableError
from lamina.stores.questions import Found
from tests.http.asking import Api, api, plain

__all__ = ["api", "plain"]


def _parts(api: Api, **said: Any) -> dict[str, dict[str, Any]]:
    return {one["part"]: one for one in api.told("GET", "/api/health", **said)["parts"]}


def test_a_server_that_has_done_nothing_yet_does_not_claim_to_have(api: Api) -> None:
    parts = _parts(api)
    assert parts["write"]["worked_at"] is None
    assert parts["read"]["worked_at"] is not None
    api.told("POST", "/api/records", json={"text": "x"})
    assert _parts(api)["write"]["worked_at"] is not None


@pytest.mark.parametrize(("call", "part"), [("commit", "write"), ("query", "read")])
def test_what_fails_is_red_until_it_works_again(
    api: Api, monkeypatch: pytest.MonkeyPatch, call: str, part: str
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise StoreUnavailableError("the disk is gone")

    finn = api.key("finn", "agent", "web")
    with monkeypatch.context() as broken:
        broken.setattr(api.memory.store, call, fail)
        api.ask("POST", "/api/records", json={"text": "x"})
        told = api.told("GET", "/api/health")
        found = {one["part"]: one for one in told["parts"]}[part]
        assert (told["status"], found["status"]) == ("red", "red")
        assert "the disk is gone" in found["message"]
        found = _parts(api, headers=finn)[part]
        assert (found["status"], found["message"]) == ("red", "")
    api.told("POST", "/api/records", json={"text": "x"})
    assert api.told("GET", "/api/health")["status"] == "green"


def test_health_says_nothing_of_what_others_do(api: Api) -> None:
    finn = api.key("finn", "agent", "web")
    before = _parts(api, headers=finn)
    api.told("POST", "/api/records", params={"project": "shop"}, json={"text": "elsewhere"})
    assert _parts(api, headers=finn) == before
    assert _parts(api)["write"]["store_changed_at"] != before["write"]["store_changed_at"]
    api.told("POST", "/api/records", headers=finn, json={"text": "here"})
    assert _parts(api, headers=finn) != before


def test_a_store_that_is_away_is_told_of_to_whoever_is_known(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise StoreUnavailableError("the line is down")

    assert "lamina_store_up 1.0" in api.ask("GET", "/metrics").text
    stranger = api.key("finn", "admin")
    with monkeypatch.context() as broken:
        for call in ("find", "query", "count", "settings", "progress", "position"):
            broken.setattr(api.memory.store, call, fail)
        broken.setattr(api.memory.store, "pulse", lambda: -1)
        assert api.refused("GET", "/readyz")[0] == 503
        counted = api.ask("GET", "/metrics")
        assert counted.status_code == 200
        assert "lamina_store_up 0.0" in counted.text
        assert (
            'lamina_requests_total{method="GET",route="/readyz",status="503"} 1.0' in counted.text
        )
        assert "lamina_records" not in counted.text
        told = api.told("GET", "/api/health")
        parts = {one["part"]: one for one in told["parts"]}
        assert (told["status"], parts["read"]["status"]) == ("red", "red")
        assert parts["read"]["message"] == "the line is down"
        # Nothing was written meanwhile, nor tried to be.
        assert parts["write"]["status"] == parts["embed"]["status"] == "green"
        for path in ("/metrics", "/api/health"):
            assert api.refused("GET", path, headers=stranger)[:2] == (503, "store_unavailable")
        assert api.refused("GET", "/api/records/none")[:2] == (503, "store_unavailable")
    assert "lamina_store_up 1.0" in api.ask("GET", "/metrics").text


def test_what_a_search_lacks_for_another_reason_is_not_the_embedders(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    def degraded(*_: Any, **__: Any) -> Found:
        return Found(degraded=("hot layers: away",))

    api.memory.configure("recall.embedder", None)
    monkeypatch.setattr(api.memory.store, "search", degraded)
    assert api.told("GET", "/api/search", params={"q": "falcon"})["degraded"]
    assert _parts(api)["embed"]["status"] == "green"


def test_vectors_that_wait_are_amber(api: Api) -> None:
    api.memory.configure("recall.embedder", None)
    api.memory.remember("The falcon nests in spring")
    embed = _parts(api)["embed"]
    assert (embed["status"], embed["backlog"]["pending"]) == ("amber", 1)
    api.memory.catch_up()
    assert _parts(api)["embed"]["status"] == "green"


def test_metrics_count_requests_and_what_waits(api: Api) -> None:
    api.told("POST", "/api/records", json={"text": "x"})
    api.refused("GET", "/api/records/none")
    text = api.ask("GET", "/metrics").text
    for expected in (
        'lamina_requests_total{method="POST",route="/api/records",status="200"} 1.0',
        'lamina_requests_total{method="GET",route="/api/records/{name}",status="404"} 1.0',
        'lamina_vectors{is="pending"} 0.0',
        'lamina_last_success_age_seconds{part="write"}',
    ):
        assert expected in text
    for name, role, project in (("finn", "agent", "web"), ("ann", "admin", "web")):
        headers = api.key(name, role, project)
        assert api.refused("GET", "/metrics", headers=headers)[:2] == (403, "forbidden")


def test_who_has_the_whole_store_may_have_it_looked_over(api: Api) -> None:
    checked = api.told("POST", "/api/check")["findings"]
    assert checked
    assert all(one["severity"] == "ok" for one in checked)


def test_health_says_what_a_write_survives(api: Api, tmp_path: Path) -> None:
    kept = api.told("GET", "/api/health")["durability"]
    assert kept == {"level": "ephemeral", "weaker": {}}
    with lamina.open(tmp_path) as memory:
        api = Api(memory)
        kept = api.told("GET", "/api/health")["durability"]
        receipt = api.told("POST", "/api/records", json={"text": "x"})
        assert kept["level"] == receipt["durability"] == "synced"
        signal = api.told("PUT", "/api/blackboard/signals/build", json={"value": 1})
        assert kept["weaker"]["blackboard"] == signal["durability"] == "committed"


def test_the_schema_says_of_every_route_what_it_takes_needs_and_answers(api: Api) -> None:
    schema = api.told("GET", "/openapi.json", headers={"Authorization": ""})
    for path, methods in schema["paths"].items():
        for method, route in methods.items():
            assert route["x-permission"], path
            assert route["description"], path
            assert "application/problem+json" in route["responses"]["422"]["content"], path
            if method in ("post", "put", "patch") and "requestBody" in route:
                # A file to import comes as it is.
                wanted = "octet-stream" if path.startswith("/api/import") else "json"
                assert set(route["requestBody"]["content"]) == {f"application/{wanted}"}, path
    shown = str(schema)
    assert "'examples'" in shown
    assert "HTTPValidationError" not in shown


def test_the_page_for_people_asks_nobody_else_for_anything(api: Api) -> None:
    page = api.client.get("/docs").text
    assert "/api/memory/knowledge" in page
    assert not re.search(r"""(src|href)=["']?https?:|@import|url\(""", page)


def test_what_anybody_may_ask_is_written_once(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    first = {path: api.ask("GET", path).text for path in ("/openapi.json", "/docs")}
    assert all(first.values())
    monkeypatch.setattr(api.client.app, "openapi", None)
    assert {path: api.ask("GET", path).text for path in first} == first
