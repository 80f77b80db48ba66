"""What a project knows, in the words of the four-layer design, and what its files say."""

from typing import Annotated, Any

from fastapi import Path, Query, Request
from pydantic import Field

from lamina.core.permissions import Permission
from lamina.errors import NotFoundError
from lamina.memory import Memory
from lamina.surfaces import wire
from lamina.surfaces.http import paging, shapes
from lamina.surfaces.http.routing import Called, Routes
from lamina.surfaces.http.seeing import SeenProject, in_project
from lamina.surfaces.http.shapes import Asked, Body, Question
from lamina.surfaces.wire_memory import knowledge_out, page_out, whole_out

ROUTES = Routes(tag="memory")
Id = Annotated[str, Path(description="Its id.")]


class Wanted(Asked):
    """Which entries are listed."""

    category: str | None = Field(None, examples=["decision"])
    key: str | None = None
    source: str | None = None


class Entry(Body):
    """One thing that is known."""

    project: str | None = Field(None, description="The caller's own unless given.")
    category: str = Field(examples=["decision"])
    key: str = Field(examples=["orm"])
    value: str = Field(examples=["No ORM: raw SQL"])
    source: str | None = Field(None, description="Who said it; for orchestrators and admins.")
    confidence: float | None = Field(None, ge=0, le=1)


class Sought(Question):
    """Which items are asked for."""

    type: str | None = Field(None, examples=["decision"])
    q: str | None = Field(None, description="What they are about; the best match comes first.")
    limit: int = Field(100, ge=1, le=1_000)


@ROUTES.add("GET", "/api/memory/knowledge", Permission.READ, answers=shapes.KnowledgePage)
def list_knowledge(memory: SeenProject, asked: Annotated[Wanted, Query()]) -> dict[str, Any]:
    """What is known of a project, newest first; without one, of all that the caller sees."""
    named = {"kind": asked.category, "key": asked.key, "source": asked.source}
    where = {"layer": "knowledge", **shared(memory), **given(named)}
    return page_out(
        paging.page(memory, where, asked.limit, asked.cursor), "knowledge", knowledge_out
    )


@ROUTES.add("POST", "/api/memory/knowledge", Permission.WRITE, answers=shapes.Receipt)
def put_knowledge(request: Request, caller: Called, body: Entry) -> dict[str, Any]:
    """Keep a value; the one that had the category and key before stays in its history."""
    memory = in_project(request, caller, body.project)
    told = given({"source": body.source, "confidence": body.confidence})
    return wire.receipt_out(memory.knowledge.put(body.category, body.key, body.value, **told))


@ROUTES.add("DELETE", "/api/memory/knowledge/{id}", Permission.WRITE, answers=shapes.Receipt)
def forget_knowledge(memory: SeenProject, id: Id) -> dict[str, Any]:  # noqa: A002 - the design's name
    """Hide an entry; `POST /api/undo` with the receipt's `tx` brings it back."""
    return wire.receipt_out(forgotten(memory, id, "knowledge"))


@ROUTES.add("GET", "/projects/{id}/knowledge", Permission.READ, answers=shapes.Records)
def project_items(
    request: Request,
    caller: Called,
    id: Id,  # noqa: A002 - the design's name
    asked: Annotated[Sought, Query()],
) -> dict[str, Any]:
    """What was read out of the files of a project: of a type, or about something."""
    memory = in_project(request, caller, id)
    found = memory.item.query(type=asked.type, text=asked.q, limit=asked.limit)
    return whole_out(found)


def shared(memory: Memory) -> dict[str, Any]:
    """A filter on what belongs to the project as such; nothing where no project is meant."""
    root = memory.principal.root
    return {} if root is None else {"scope": root.path}


def given(named: dict[str, Any]) -> dict[str, Any]:
    """What was said, without what was not."""
    return {name: value for name, value in named.items() if value is not None}


def forgotten(memory: Memory, record_id: str, layer: str) -> Any:
    """Hide a record of a layer; one of another layer is not there, as far as this is concerned."""
    found = memory.query({"layer": layer, "id": record_id}, limit=1)
    if not found:
        raise NotFoundError(f"there is no record {record_id:.80}")
    return memory.forget(found[0].id)
