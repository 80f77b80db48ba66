"""The profile `server-memory`: the nine tools of the reference memory server, name for name."""

import json
from collections.abc import Callable
from typing import Any, Final

from mcp.server import MCPServer

from lamina.core.permissions import Permission
from lamina.core.shapes import in_words
from lamina.errors import InvalidInputError
from lamina.memory import Memory
from lamina.paging.showing import note_shown
from lamina.sealing import scrub_in
from lamina.surfaces.mcp.graph_store import Entity, Graph, GraphStore, Relation
from lamina.surfaces.mcp.here import Here, memory_here
from lamina.surfaces.mcp.refusing import told
from lamina.surfaces.mcp.shapes import TEXT, list_of, object_of
from lamina.surfaces.mcp.tool import Answer, Plan

_MOST_SHOWN: Final = 200
"""How many records of one answer are known again when a model repeats them."""
_GRAPH: Final = "memory://knowledge-graph"


def create_entities(here: Here, entities: list[dict[str, Any]]) -> Answer:
    """Create multiple new entities in the knowledge graph."""
    made = GraphStore(here.memory).create_entities([_entity(one) for one in entities])
    return _listed("entities", [one.to_json() for one in made])


def create_relations(here: Here, relations: list[dict[str, Any]]) -> Answer:
    """Create multiple new relations between entities, in active voice."""
    made = GraphStore(here.memory).create_relations([_relation(one) for one in relations])
    return _listed("relations", [one.to_json() for one in made])


def add_observations(here: Here, observations: list[dict[str, Any]]) -> Answer:
    """Add new observations to existing entities in the knowledge graph."""
    wanted = [(_text(one, "entityName"), _texts(one, "contents")) for one in observations]
    added = GraphStore(here.memory).add_observations(wanted)
    done = [
        {"entityName": name, "addedObservations": new}
        for (name, _), new in zip(wanted, added, strict=True)
    ]
    return _listed("results", done)


def delete_entities(here: Here, entityNames: list[str]) -> Answer:  # noqa: N803 - as it is known
    """Delete multiple entities and their relations from the knowledge graph."""
    GraphStore(here.memory).delete_entities(entityNames)
    return _done("Entities deleted successfully")


def delete_observations(here: Here, deletions: list[dict[str, Any]]) -> Answer:
    """Delete specific observations from entities in the knowledge graph."""
    unwanted = [(_text(one, "entityName"), _texts(one, "observations")) for one in deletions]
    GraphStore(here.memory).delete_observations(unwanted)
    return _done("Observations deleted successfully")


def delete_relations(here: Here, relations: list[dict[str, Any]]) -> Answer:
    """Delete multiple relations from the knowledge graph."""
    GraphStore(here.memory).delete_relations([_relation(one) for one in relations])
    return _done("Relations deleted successfully")


def read_graph(here: Here) -> Answer:
    """Read the entire knowledge graph."""
    return _shown(here.memory, GraphStore(here.memory).read())


def search_nodes(here: Here, query: str) -> Answer:
    """Search for nodes in the knowledge graph based on a query."""
    graph, wanted = GraphStore(here.memory).read(), query.lower()

    def matches(entity: Entity) -> bool:
        said = (entity.name, entity.sort, *entity.observations)
        return any(wanted in one.lower() for one in said)

    return _shown(here.memory, graph.around([one for one in graph.entities if matches(one)]))


def open_nodes(here: Here, names: list[str]) -> Answer:
    """Open specific nodes in the knowledge graph by their names."""
    graph = GraphStore(here.memory).read()
    return _shown(here.memory, graph.around([one for one in graph.entities if one.name in names]))


def add_resource(server: MCPServer[Any]) -> None:
    """Offer the graph as a whole, under the address by which it is known."""

    def read() -> str:
        """The full knowledge graph with all entities and relations."""
        with told():
            memory = memory_here()
            return _shown(memory, GraphStore(memory).read()).text

    server.resource(
        _GRAPH, name="knowledge-graph", title="Knowledge graph", mime_type="application/json"
    )(read)


def _shown(memory: Memory, graph: Graph) -> Answer:
    for record in graph.records[:_MOST_SHOWN]:
        note_shown(memory, record)
    return Answer(graph.to_json(), _lines(graph.to_json()))


def _listed(name: str, found: list[dict[str, Any]]) -> Answer:
    # A secret is sealed where it is kept, and not to be repeated either.
    kept = scrub_in(found)
    return Answer({name: kept}, _lines(kept))


def _done(message: str) -> Answer:
    return Answer({"success": True, "message": message}, message)


def _lines(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _entity(given: dict[str, Any]) -> Entity:
    return Entity(
        _text(given, "name"), _text(given, "entityType"), tuple(_texts(given, "observations"))
    )


def _relation(given: dict[str, Any]) -> Relation:
    return Relation(_text(given, "from"), _text(given, "to"), _text(given, "relationType"))


def _text(given: dict[str, Any], name: str) -> str:
    value = given.get(name)
    if isinstance(value, str):
        return value
    raise InvalidInputError(f"`{name}` must be text, not {in_words(value)}")


def _texts(given: dict[str, Any], name: str) -> list[str]:
    value = given.get(name)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return value
    raise InvalidInputError(f"`{name}` must be a list of texts, not {in_words(value)}")


_ENTITY: Final = object_of(name=TEXT, entityType=TEXT, observations=list_of(TEXT))
_RELATION: Final = object_of(**{"from": TEXT, "to": TEXT, "relationType": TEXT})
_WHOLE: Final = object_of(entities=list_of(_ENTITY), relations=list_of(_RELATION))
_SAID: Final = object_of(success={"type": "boolean"}, message=TEXT)


def _writing(
    function: Callable[..., Answer], takes: dict[str, Any], output: dict[str, Any]
) -> Plan:
    title = function.__name__.replace("_", " ").title()
    gone = function.__name__.startswith("delete")
    return Plan(
        function, title, Permission.WRITE, output, destructive=gone, idempotent=gone, schema=takes
    )


def _reading(function: Callable[..., Answer]) -> Plan:
    return Plan(function, function.__name__.replace("_", " ").title(), Permission.READ, _WHOLE)


TOOLS: Final = (
    _writing(create_entities, object_of(entities=list_of(_ENTITY)),
             object_of(entities=list_of(_ENTITY))),
    _writing(create_relations, object_of(relations=list_of(_RELATION)),
             object_of(relations=list_of(_RELATION))),
    _writing(add_observations,
             object_of(observations=list_of(object_of(entityName=TEXT, contents=list_of(TEXT)))),
             object_of(results=list_of(
                 object_of(entityName=TEXT, addedObservations=list_of(TEXT))))),
    _writing(delete_entities, object_of(entityNames=list_of(TEXT)), _SAID),
    _writing(delete_observations,
             object_of(deletions=list_of(object_of(entityName=TEXT, observations=list_of(TEXT)))),
             _SAID),
    _writing(delete_relations, object_of(relations=list_of(_RELATION)), _SAID),
    _reading(read_graph),
    _reading(search_nodes),
    _reading(open_nodes),
)  # fmt: skip
