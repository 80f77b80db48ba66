"""The tools of other memory servers, under their own names, on memories of ours."""

from typing import Any

import pytest
from mcp import Client

from lamina import Memory
from lamina.memory import AgentMemory
from lamina.surfaces.mcp.profiles import PROFILES
from tests.mcp.talking import call, error_of, talk, text_of, told
from tests.places import plain  # noqa: F401 - a fixture

GRAPH = "server-memory"
NINE = [
    "create_entities", "create_relations", "add_observations", "delete_entities",
    "delete_observations", "delete_relations", "read_graph", "search_nodes", "open_nodes",
]  # fmt: skip
SEVEN = [
    "add_memory", "search_memories", "get_memories", "get_memory", "update_memory",
    "delete_memory", "delete_all_memories",
]  # fmt: skip


@pytest.fixture
def finn(plain: Memory) -> AgentMemory:  # noqa: F811 - a fixture
    return plain.agent("finn", project="web")


def an_entity(name: str, *observations: str) -> dict[str, Any]:
    return {"name": name, "entityType": "person", "observations": list(observations)}


def a_relation(source: str, target: str) -> dict[str, Any]:
    return {"from": source, "to": target, "relationType": "knows"}


@pytest.mark.parametrize(("profile", "names"), [(GRAPH, NINE), ("mem0", SEVEN)])
def test_a_profile_offers_its_tools(finn: AgentMemory, profile: str, names: list[str]) -> None:
    async def ask(client: Any) -> list[str]:
        return [tool.name for tool in (await client.list_tools()).tools]

    assert talk(finn, ask, profile) == names


def test_a_graph_is_made_read_and_searched(finn: AgentMemory) -> None:
    ann, bob = an_entity("Ann", "drinks tea"), an_entity("Bob", "owns a kettle")
    made = told(finn, "create_entities", GRAPH, entities=[ann, bob])
    assert made == {"entities": [ann, bob]}
    assert told(finn, "create_entities", GRAPH, entities=[ann]) == {"entities": []}
    knows = a_relation("Ann", "Bob")
    assert told(finn, "create_relations", GRAPH, relations=[knows]) == {"relations": [knows]}
    assert told(finn, "read_graph", GRAPH) == {"entities": [ann, bob], "relations": [knows]}
    found = told(finn, "search_nodes", GRAPH, query="KETTLE")
    assert found == {"entities": [bob], "relations": [knows]}
    assert told(finn, "open_nodes", GRAPH, names=["Ann"])["entities"] == [ann]


def test_what_the_graph_holds_is_recalled_like_any_memory(finn: AgentMemory) -> None:
    told(finn, "create_entities", GRAPH, entities=[an_entity("Ann", "drinks green tea")])
    [memory] = told(finn, "recall", query="who drinks tea?")["memories"]
    assert "drinks green tea" in memory["text"]


def test_observations_come_and_go(finn: AgentMemory) -> None:
    told(finn, "create_entities", GRAPH, entities=[an_entity("Ann", "a")])
    wanted = [{"entityName": "Ann", "contents": ["a", "b", "b"]},
              {"entityName": "Ann", "contents": ["b", "c"]}]  # fmt: skip
    added = told(finn, "add_observations", GRAPH, observations=wanted)["results"]
    assert [one["addedObservations"] for one in added] == [["b", "b"], ["c"]]
    gone = [{"entityName": "Ann", "observations": ["b", "z"]},
            {"entityName": "Nobody", "observations": ["b"]}]  # fmt: skip
    assert told(finn, "delete_observations", GRAPH, deletions=gone)["success"] is True
    [ann] = told(finn, "read_graph", GRAPH)["entities"]
    assert ann["observations"] == ["a", "c"]
    nobody = [{"entityName": "Ann", "contents": ["d"]}, {"entityName": "Zoe", "contents": ["x"]}]
    error = error_of(call(finn, "add_observations", GRAPH, observations=nobody))
    assert error["code"] == "not_found"
    assert told(finn, "read_graph", GRAPH)["entities"] == [ann]


def test_two_of_one_name_in_one_call_are_both_kept(finn: AgentMemory) -> None:
    twice = [an_entity("Ann", "a"), an_entity("Ann", "b")]
    assert told(finn, "create_entities", GRAPH, entities=twice) == {"entities": twice}
    assert told(finn, "read_graph", GRAPH)["entities"] == twice
    told(finn, "delete_entities", GRAPH, entityNames=["Ann"])
    assert told(finn, "read_graph", GRAPH)["entities"] == []


@pytest.mark.parametrize("name", ["", " x ", "a\u200eb", "n" * 600, "two\nlines"])
def test_any_name_will_do(finn: AgentMemory, name: str) -> None:
    entity = an_entity(name, "here")
    told(finn, "create_entities", GRAPH, entities=[entity])
    assert told(finn, "open_nodes", GRAPH, names=[name])["entities"] == [entity]


def test_names_that_look_alike_are_two(finn: AgentMemory) -> None:
    alike = [an_entity("é", "a"), an_entity("e\u0301", "b")]
    for one in alike:
        assert told(finn, "create_entities", GRAPH, entities=[one]) == {"entities": [one]}
    assert told(finn, "read_graph", GRAPH)["entities"] == alike


def test_deleting_takes_relations_along_and_is_undone_by_the_owner(finn: AgentMemory) -> None:
    told(finn, "create_relations", GRAPH, relations=[a_relation("A", "B"), a_relation("B", "C")])
    told(finn, "create_entities", GRAPH, entities=[an_entity("A")])
    assert told(finn, "delete_entities", GRAPH, entityNames=["A", "nobody"])["success"] is True
    assert told(finn, "read_graph", GRAPH) == {"entities": [], "relations": [a_relation("B", "C")]}
    told(finn, "delete_relations", GRAPH, relations=[a_relation("B", "C")])
    told(finn, "delete_relations", GRAPH, relations=[a_relation("B", "C")])
    assert finn.count({"kind": "relation", "state": "forgotten"}) == 2


def test_a_malformed_entity_is_named(finn: AgentMemory) -> None:
    error = error_of(call(finn, "create_entities", GRAPH, entities=[{"name": "x"}]))
    assert "`entityType`" in error["message"]


def test_memories_as_mem0_has_them(finn: AgentMemory) -> None:
    [one] = told(finn, "add_memory", "mem0", text="Ann likes tea", user_id="ann",
                 metadata={"topic": "drinks"})["results"]  # fmt: skip
    assert (one["memory"], one["event"]) == ("Ann likes tea", "ADD")
    said = [{"role": "user", "content": "Bob likes beer"}, {"role": "assistant", "content": "Ok"}]
    told(finn, "add_memory", "mem0", messages=said, user_id="bob")
    [hit] = told(finn, "search_memories", "mem0", query="tea", limit=1)["results"]
    assert (hit["id"], hit["user_id"], hit["metadata"]) == (one["id"], "ann", {"topic": "drinks"})
    mine = {"AND": [{"user_id": "bob"}]}
    listed = told(finn, "get_memories", "mem0", filters=mine)["results"]
    assert sorted(memory["memory"] for memory in listed) == ["Bob likes beer", "Ok"]
    told(finn, "update_memory", "mem0", memory_id=one["id"], text="Ann likes coffee")
    assert told(finn, "get_memory", "mem0", memory_id=one["id"])["memory"] == "Ann likes coffee"
    told(finn, "delete_memory", "mem0", memory_id=one["id"])
    gone = error_of(call(finn, "get_memory", "mem0", memory_id=one["id"]))
    assert gone["code"] == "not_found"


def test_nothing_is_deleted_wholesale_without_a_name(finn: AgentMemory) -> None:
    own = told(finn, "remember", text="not of this profile")["id"]
    for who in ("ann", "ann", "bob"):
        told(finn, "add_memory", "mem0", text=f"{who} {own}", user_id=who, run_id=f"r-{who}")
    assert "whose" in error_of(call(finn, "delete_all_memories", "mem0"))["message"]
    seen: list[tuple[float, float | None]] = []

    async def delete(client: Client) -> None:
        async def progress(progress: float, total: float | None, message: str | None) -> None:
            del message
            seen.append((progress, total))

        whose = {"user_id": "ann"}
        await client.call_tool("delete_all_memories", whose, progress_callback=progress)

    talk(finn, delete, "mem0")
    assert seen == [(2, 2)]
    assert [one["user_id"] for one in told(finn, "get_memories", "mem0")["results"]] == ["bob"]
    assert error_of(call(finn, "delete_memory", "mem0", memory_id=own))["code"] == "not_found"


def test_all_that_a_filter_says_of_one_field_holds(finn: AgentMemory) -> None:
    [one] = told(finn, "add_memory", "mem0", text="Ann likes tea", user_id="ann")["results"]
    told(finn, "add_memory", "mem0", text="Bob likes beer", user_id="bob")
    between = [
        {"created_at": {"gte": "2001-01-01T00:00:00Z"}},
        {"created_at": {"lte": "2002-01-01T00:00:00Z"}},
    ]
    assert told(finn, "get_memories", "mem0", filters={"AND": between})["results"] == []
    both = [{"user_id": {"in": ["ann", "bob"]}}, {"user_id": {"ne": "bob"}}]
    [found] = told(finn, "get_memories", "mem0", filters={"AND": both})["results"]
    assert found["id"] == one["id"]


CREDENTIAL = "ghp_" + "aB3dE6gH9" * 4


@pytest.mark.parametrize(
    ("profile", "tool", "arguments"),
    [
        (GRAPH, "create_entities", {"entities": [an_entity("Bob", f"has {CREDENTIAL}")]}),
        (GRAPH, "create_entities", {"entities": {"token": "open sesame"}}),
        (GRAPH, "create_entities", {"entities": [{"name": {"token": "open sesame"}}]}),
        (GRAPH, "add_observations",
         {"observations": [{"entityName": "Ann", "contents": [f"has {CREDENTIAL}"]}]}),
        ("mem0", "add_memory", {"text": f"Ann has {CREDENTIAL}"}),
        ("mem0", "add_memory", {"messages": [{"content": {"token": "open sesame"}}]}),
        ("default", "get_fact", {"key": CREDENTIAL}),
        ("default", "remember", {"text": {"token": "open sesame"}}),
    ],
)  # fmt: skip
def test_a_secret_is_not_repeated_to_whoever_gave_it(
    finn: AgentMemory, profile: str, tool: str, arguments: dict[str, Any]
) -> None:
    told(finn, "create_entities", GRAPH, entities=[an_entity("Ann")])
    result = call(finn, tool, profile, **arguments)
    said = f"{text_of(result)} {result.structured_content}"
    assert CREDENTIAL not in said
    assert "sesame" not in said


def test_every_profile_says_that_what_it_returns_is_data(finn: AgentMemory) -> None:
    async def ask(client: Client) -> str | None:
        return client.instructions

    for profile in PROFILES:
        assert "never instructions" in (talk(finn, ask, profile) or "")


@pytest.mark.parametrize(
    "filters",
    [{"OR": []}, {"colour": "red"}, {"user_id": {"like": "a"}}, {"AND": ["user_id"]},
     {"AND": [{"user_id": "ann"}] * 100}],
)  # fmt: skip
def test_a_filter_that_would_not_be_kept_is_refused(
    finn: AgentMemory, filters: dict[str, Any]
) -> None:
    assert error_of(call(finn, "get_memories", "mem0", filters=filters))["code"] == "invalid_input"
