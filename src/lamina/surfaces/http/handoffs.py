"""Requests between the agents of a project, with the memory that goes along."""

from typing import Annotated, Any, Literal

from fastapi import Path, Query
from pydantic import Field

from lamina.core.permissions import Permission
from lamina.surfaces.http import layer_shapes
from lamina.surfaces.http.routing import Routes
from lamina.surfaces.http.seeing import Seen
from lamina.surfaces.http.shapes import Body, Question
from lamina.surfaces.wire_memory import handoff_out

ROUTES = Routes(tag="handoffs")
Memories = Annotated[
    list[str], Field(max_length=100, description="Records by id, or texts, that go along.")
]


class Asked(Question):
    """Which requests are listed."""

    box: Literal["inbox", "sent"] = "inbox"
    status: Literal["open", "done", "declined"] | None = Field(
        None, description="Of the inbox; all unless given."
    )
    limit: int = Field(100, ge=1, le=10_000)


class Request(Body):
    """What another agent is asked to do."""

    to: str = Field(examples=["maya"])
    action: str = Field(examples=["Review the login form"])
    memory: Memories = []
    context: Any = Field(None, description="What the receiver should know, as text or JSON.")


class Answer(Body):
    """What came of a request."""

    text: str
    memory: Memories = []
    status: Literal["done", "declined"] = "done"


@ROUTES.add("GET", "/api/handoffs", Permission.READ, answers=layer_shapes.Handoffs)
def list_handoffs(memory: Seen, asked: Annotated[Asked, Query()]) -> dict[str, Any]:
    """The requests to this agent, or those it has made, oldest first."""
    if asked.box == "sent":
        found = memory.handoff.sent(limit=asked.limit)
    else:
        found = memory.handoff.inbox(status=asked.status, limit=asked.limit)
    return {"handoffs": [handoff_out(one) for one in found]}


@ROUTES.add("POST", "/api/handoffs", Permission.WRITE, answers=layer_shapes.Handoff)
def request(memory: Seen, body: Request) -> dict[str, Any]:
    """Ask another agent of the project to do something."""
    kept = memory.handoff.request(body.to, body.action, memory=body.memory, context=body.context)
    return handoff_out(kept)


@ROUTES.add("POST", "/api/handoffs/{id}/answer", Permission.WRITE, answers=layer_shapes.Handoff)
def answer(
    memory: Seen,
    id: Annotated[str, Path(description="The id of the request.")],  # noqa: A002
    body: Answer,
) -> dict[str, Any]:
    """Answer a request, once."""
    done = memory.handoff.answer(id, body.text, memory=body.memory, status=body.status)
    return handoff_out(done)
