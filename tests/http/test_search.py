"""One search over memory, items, sources and, if asked, sessions."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lamina
from tests.http.asking import Api, api, plain

__all__ = ["api", "plain"]


@pytest.fixture
def filled(api: Api, tmp_path: Path) -> Api:
    """The same words as knowledge, as an item, in a file and in a session."""
    (tmp_path / "notes.md").write_text("# Notes\n\nDecision: the falcon nests in spring.\n")
    web = api.memory.project("web")
    web.knowledge.put("fact", "falcon", "The falcon nests in spring")
    web.item.extract(tmp_path)
    web.index(tmp_path)
    web.session("s-1").append("user", "When does the falcon nest in spring?")
    return api


def _layers(answer: dict[str, Any]) -> set[str]:
    return {hit["record"]["layer"] for hit in answer["hits"]}


@pytest.mark.parametrize(
    ("places", "layers"),
    [
        (None, {"knowledge", "item", "source"}),
        (["memory"], {"knowledge"}),
        (["items"], {"item"}),
        (["sources"], {"source"}),
        (["sessions"], {"session"}),
        (["sessions", "memory"], {"session", "knowledge"}),
    ],
)
def test_a_search_looks_where_it_is_told(
    filled: Api, places: list[str] | None, layers: set[str]
) -> None:
    asked = {"query": "falcon nests", "k": 10}
    said = asked if places is None else {**asked, "in": places}
    assert _layers(filled.told("POST", "/api/search?project=web", json=said)) == layers
    address = {"q": "falcon nests", "k": "10", "project": "web"}
    address |= {} if places is None else {"in": ",".join(places)}
    assert _layers(filled.told("GET", "/api/search", params=address)) == layers


@pytest.fixture
def meaning() -> Iterator[Api]:
    """A memory that compares meaning as well as words."""
    with lamina.open(":memory:") as opened:
        opened.remember("The car would not start on the cold morning")
        opened.remember("A recipe for bread with seeds")
        opened.catch_up()
        yield Api(opened)


def test_words_alone_or_meaning_as_well_and_with_what_weights(meaning: Api) -> None:
    asked = {"query": "automobile engine trouble in winter", "floor": 0.0, "k": 2}

    def parts(**more: Any) -> set[str]:
        hits = meaning.told("POST", "/api/search", json={**asked, **more})["hits"]
        return {name for hit in hits for name in hit["parts"]}

    assert "meaning" in parts(mode="hybrid")
    assert "meaning" not in parts(mode="keyword")
    assert "meaning" not in parts(mode="hybrid", weights={"meaning": 0})
    assert parts(explain=False) == set()
    health = {one["part"]: one for one in meaning.told("GET", "/api/health")["parts"]}
    assert health["embed"]["worked_at"] is not None


def test_a_search_of_the_past_and_why_something_is_not_found(filled: Api) -> None:
    then = filled.told("GET", "/api/cursor?project=web")["cursor"]
    [found] = filled.told("GET", "/api/memory/knowledge?key=falcon")["knowledge"]
    filled.told("DELETE", f"/api/memory/knowledge/{found['id']}")
    asked = {"query": "falcon nests", "in": ["memory"]}
    assert filled.told("POST", "/api/search?project=web", json=asked)["abstained"]
    past = filled.told("POST", "/api/search?project=web", json={**asked, "as_of": then})
    assert [hit["record"]["id"] for hit in past["hits"]] == [found["id"]]
    missed = {**asked, "name": found["id"]}
    told = filled.told("POST", "/api/why-not?project=web", json=missed)
    assert (told["record"], told["rank"]) == (found["id"], None)
    assert told["reasons"]


@pytest.mark.parametrize(
    "said",
    [
        {"in": ["everywhere"]}, {"in": []}, {"mode": "magic"}, {"weights": {"luck": 2}},
        {"weights": {"words": "much"}}, {"k": 0}, {"k": "3"}, {"floor": 2}, {"as_of": "someday"},
        {"where": {"nothing": 1}}, {"in": ["memory"], "layers": ["fact"]}, {"budget": 0},
    ],
)  # fmt: skip
def test_a_question_that_makes_no_sense_is_refused(api: Api, said: dict[str, Any]) -> None:
    status, code, message = api.refused("POST", "/api/search", json={"query": "falcon", **said})
    assert (status, code) == (422, "invalid_input")
    assert "`" in message


@pytest.mark.parametrize(
    "said", ["in=nowhere", "weights=1", "weights={", 'weights={"words": true}', "k=x", "mode=x"]
)
def test_an_address_that_makes_no_sense_is_refused(api: Api, said: str) -> None:
    assert api.refused("GET", f"/api/search?q=falcon&{said}")[:2] == (422, "invalid_input")
