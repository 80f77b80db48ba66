"""What people look with: words that matched, names to filter by, and the log read backwards."""

from typing import Any

import pytest

from lamina.core.text.matching import matched
from tests.http.asking import Api, api, plain

__all__ = ["api", "plain"]


def _words(text: str, *terms: str) -> list[str]:
    return [text[begin:end] for begin, end in matched(text, frozenset(terms))]


@pytest.mark.parametrize(
    ("text", "terms", "words"),
    [
        ("Sessions live in Redis; (session) ends", ["session", "redis"],
         ["Sessions", "Redis", "session"]),
        ("the station is on", ["on"], ["on"]),
        ("calls processEvent twice", ["event"], ["Event"]),
        ("«Café», please", ["cafe"], ["Café"]),
        ("see feature/ISSUE-7", ["issu"], ["ISSUE"]),
        ("我們的記憶層很快", ["記憶", "憶層"], ["記憶層"]),
        ("nothing of it", [], []),
    ],
)  # fmt: skip
def test_words_are_marked_as_the_engine_sees_them(
    text: str, terms: list[str], words: list[str]
) -> None:
    assert _words(text, *terms) == words


def test_a_hit_says_where_its_words_stand(api: Api) -> None:
    api.memory.project("web").remember(
        "\U0001f600 Falcons nest", key="falcon-nest", tags=["birds", "nesting"]
    )
    asked = {"query": "nesting falcon", "marks": True}
    [hit] = api.told("POST", "/api/search", json=asked)["hits"]
    text = hit["record"]["text"].encode("utf-16-le")
    words = [text[2 * one : 2 * end].decode("utf-16-le") for one, end in hit["marks"]["text"]]
    assert words == ["Falcons", "nest"]
    assert set(hit["marks"]) == {"text", "key", "tags.1"}
    assert "marks" not in api.told("POST", "/api/search", json={"query": "falcon"})["hits"][0]


def test_looking_in_passing_does_not_count_as_use(api: Api) -> None:
    api.memory.project("web").remember("The falcon nests in spring")
    for _ in range(3):
        api.told("POST", "/api/search", json={"query": "falcon", "tentative": True})
    [hit] = api.memory.recall("falcon nests").hits
    assert "use" not in hit.parts
    [hit] = api.memory.recall("falcon nests").hits
    assert "use" in hit.parts


def test_filters_offer_what_is_there(api: Api) -> None:
    web = api.memory.project("web")
    web.knowledge.put("decision", "a", "one", tags=["auth", "db"])
    web.knowledge.put("decision", "b", "two", tags=["auth"])
    api.memory.agent("finn", project="web").fact.save("editor", "helix")
    found = api.told("GET", "/api/facets")
    assert found["kinds"][0] == "decision"
    assert found["tags"][:2] == ["auth", "db"]
    assert {"project/web", "project/web/agent/finn"} <= set(found["scopes"])
    assert "decision" not in api.told("GET", "/api/facets?layer=fact")["kinds"]


def _back(api: Api, **asked: Any) -> list[tuple[str, int]]:
    """Everything that happened, page by page from the end."""
    found: list[tuple[str, int]] = []
    params = {key: str(value) for key, value in asked.items()}
    while True:
        page = api.told("GET", "/api/changes/latest", params=params)
        found += [(one["event"]["stream"], one["event"]["seq"]) for one in page["changes"]]
        assert page["more"] == (page["older"] is not None)
        if not page["older"]:
            return found
        params["before"] = page["older"]


def test_the_log_is_read_back_to_its_beginning_without_a_gap(api: Api) -> None:
    for number in range(90):
        api.memory.project(f"p-{number % 30}").remember(f"Said {number}")
    with api.memory.changes() as feed:
        every = [(one.event.stream, one.event.seq) for one in feed]
    found = _back(api, limit=7)
    assert sorted(found) == sorted(every)
    streams = [stream for stream, _ in found if stream.startswith("project/")]
    assert streams[:3] == ["project/p-29", "project/p-28", "project/p-27"]
    mine = _back(api, limit=2, project="p-3")
    assert mine == [("project/p-3", 3), ("project/p-3", 2), ("project/p-3", 1)]
