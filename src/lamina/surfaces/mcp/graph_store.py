"""A graph of entities and relations, kept as memories of an agent.

Each entity and each relation is a record of layer `knowledge`, so that recall finds what was said
through the graph, and the graph is under the same roof as everything else. Entities of one name
may stand side by side where they were made in one call, as the reference server has it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

from lamina import clock
from lamina.core.names import check_key
from lamina.errors import InvalidInputError, NotFoundError
from lamina.layers.face import every, settled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.core.draft import Draft, DraftFields
    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.memory import Memory

ENTITY: Final = "entity"
RELATION: Final = "relation"
_PLACE: Final = "place"


@dataclass(frozen=True, slots=True)
class Entity:
    """Something that has a name, and what is known of it."""

    kind: ClassVar = ENTITY

    name: str
    sort: str
    observations: tuple[str, ...]
    record: Record | None = None

    @property
    def title(self) -> str:
        """What it is kept under."""
        return self.name

    def to_json(self) -> dict[str, Any]:
        """As the reference server writes it."""
        return {
            "name": self.name, "entityType": self.sort, "observations": list(self.observations)
        }  # fmt: skip

    @property
    def text(self) -> str:
        """As it is read and found."""
        return "\n".join([f"{self.name} ({self.sort})", *(f"- {one}" for one in self.observations)])


@dataclass(frozen=True, slots=True)
class Relation:
    """That one entity stands in a relation to another."""

    kind: ClassVar = RELATION

    source: str
    target: str
    sort: str
    record: Record | None = None

    @property
    def title(self) -> str:
        """What it is kept under."""
        return f"{self.source} | {self.sort} | {self.target}"

    def to_json(self) -> dict[str, Any]:
        """As the reference server writes it."""
        return {"from": self.source, "to": self.target, "relationType": self.sort}

    @property
    def text(self) -> str:
        """As it is read and found."""
        return f"{self.source} {self.sort} {self.target}"

    def is_like(self, other: Relation) -> bool:
        """Whether it says the same."""
        return replace(self, record=None) == replace(other, record=None)


@dataclass(frozen=True, slots=True)
class Graph:
    """Entities and relations in the order in which they were made."""

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]

    def to_json(self) -> dict[str, Any]:
        """As the reference server writes it."""
        return {
            "entities": [one.to_json() for one in self.entities],
            "relations": [one.to_json() for one in self.relations],
        }

    def around(self, chosen: Sequence[Entity]) -> Graph:
        """Some entities, with the relations that begin or end at one of them."""
        names = {one.name for one in chosen}
        near = (one for one in self.relations if one.source in names or one.target in names)
        return Graph(tuple(chosen), tuple(near))

    def first(self, name: str) -> Entity | None:
        """The entity of a name, the oldest if there are several."""
        return next((one for one in self.entities if one.name == name), None)

    @property
    def records(self) -> list[Record]:
        """What is kept of it."""
        parts: list[Entity | Relation] = [*self.entities, *self.relations]
        return [one.record for one in parts if one.record is not None]


class GraphStore:
    """The graph of one handle."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._here: DraftFields = {"layer": "knowledge", "scope": memory.scope.path}

    def read(self) -> Graph:
        """All of it."""
        entities = (_entity(one) for one in self._in_order(ENTITY))
        relations = (_relation(one) for one in self._in_order(RELATION))
        return Graph(tuple(entities), tuple(relations))

    def create_entities(self, wanted: Sequence[Entity]) -> list[Entity]:
        """Add those whose names are new; returns them."""

        def attempt() -> list[Entity]:
            graph = self.read()
            known = {one.name for one in graph.entities}
            new = [one for one in wanted if one.name not in known]
            self._add(new, graph)
            return new

        return settled(attempt)

    def create_relations(self, wanted: Sequence[Relation]) -> list[Relation]:
        """Add those that are new; returns them."""

        def attempt() -> list[Relation]:
            graph = self.read()
            new = [one for one in wanted if not any(one.is_like(two) for two in graph.relations)]
            self._add(new, graph)
            return new

        return settled(attempt)

    def add_observations(self, wanted: Sequence[tuple[str, list[str]]]) -> list[list[str]]:
        """Add what is not known yet of entities; returns what was new of each."""

        def attempt() -> list[list[str]]:
            changed: dict[RecordId, Entity] = {}
            added = []
            graph = self.read()
            for name, contents in wanted:
                entity = _changed(graph, changed, name)
                if entity is None:
                    raise NotFoundError(
                        f"there is no entity {name!r:.80}", remedy="Create it with create_entities"
                    )
                new = [one for one in contents if one not in entity.observations]
                _note(changed, replace(entity, observations=(*entity.observations, *new)))
                added.append(new)
            self._rewrite(changed)
            return added

        return settled(attempt)

    def delete_observations(self, unwanted: Sequence[tuple[str, list[str]]]) -> None:
        """Take observations off entities; what is not there is gone already."""

        def attempt() -> None:
            changed: dict[RecordId, Entity] = {}
            graph = self.read()
            for name, gone in unwanted:
                entity = _changed(graph, changed, name)
                if entity is not None:
                    left = tuple(one for one in entity.observations if one not in gone)
                    _note(changed, replace(entity, observations=left))
            self._rewrite(changed)

        settled(attempt)

    def delete_entities(self, names: Sequence[str]) -> None:
        """Forget entities, and the relations that begin or end at one of their names."""
        graph = self.read()
        gone = Graph(
            tuple(one for one in graph.entities if one.name in names),
            tuple(one for one in graph.relations if one.source in names or one.target in names),
        )
        self._forget(gone.records)

    def delete_relations(self, unwanted: Sequence[Relation]) -> None:
        """Forget relations."""
        found = [
            one for one in self.read().relations if any(one.is_like(other) for other in unwanted)
        ]
        self._forget(Graph((), tuple(found)).records)

    def _in_order(self, kind: str) -> list[Record]:
        """What there is of a kind; of what was made together, in the order of the call."""
        found = every(self._memory, {**self._here, "kind": kind})
        return sorted(found, key=lambda one: (one.created_at, _place(one), one.id))

    def _add(self, new: Sequence[Entity | Relation], graph: Graph) -> None:
        """Keep what is new, each under its title; of two with one title, the second has another.

        Names that only differ in how a letter is composed are two names, but one title.
        """
        taken = {one.key for one in graph.records}
        drafts: list[Draft] = []
        for place, one in enumerate(new):
            key = _key(one.title)
            key = f"{key[:400]} #{clock.fresh_id()}" if key in taken else key
            taken.add(key)
            data = {**one.to_json(), _PLACE: place}
            drafts.append({"kind": one.kind, "key": key, "text": one.text, "data": data,
                           "expect": 0, **self._here})  # fmt: skip
        if drafts:
            self._memory.remember_many(drafts)

    def _rewrite(self, changed: Mapping[RecordId, Entity]) -> None:
        path = self._memory.path_for(self._memory.principal.surface)
        edits = [
            path.edit(one.record, {"text": one.text, "data": one.record.data | one.to_json()},
                      one.record.rev)
            for one in changed.values()
            if one.record is not None and one.text != one.record.text
        ]  # fmt: skip
        if edits:
            path.commit(edits)

    def _forget(self, records: Sequence[Record]) -> None:
        if records:
            self._memory.forget(*(one.id for one in records))


def _changed(graph: Graph, changed: Mapping[RecordId, Entity], name: str) -> Entity | None:
    """An entity as this call has left it so far."""
    found = graph.first(name)
    if found is None or found.record is None:
        return None
    return changed.get(found.record.id, found)


def _note(changed: dict[RecordId, Entity], entity: Entity) -> None:
    assert entity.record is not None
    changed[entity.record.id] = entity


def _place(record: Record) -> int:
    place = record.data.get(_PLACE)
    return place if isinstance(place, int) else 0


def _key(name: str) -> str:
    try:
        return check_key(name)
    except InvalidInputError:
        # Any name will do for an entity: one that cannot be a key stands in the data alone.
        return f"#{clock.fresh_id()}"


def _entity(record: Record) -> Entity:
    data = record.data
    observations = data.get("observations")
    told = observations if isinstance(observations, list) else []
    return Entity(
        str(data.get("name", record.key or "")), str(data.get("entityType", "")),
        tuple(one for one in told if isinstance(one, str)), record,
    )  # fmt: skip


def _relation(record: Record) -> Relation:
    data = record.data
    return Relation(
        str(data.get("from", "")), str(data.get("to", "")), str(data.get("relationType", "")),
        record,
    )  # fmt: skip
