"""What was tried in a project, in the words of the four-layer design."""

from typing import Annotated, Any, Literal

from fastapi import Query, Request
from pydantic import Field

from lamina.core.permissions import Permission
from lamina.surfaces import wire
from lamina.surfaces.http import paging, shapes
from lamina.surfaces.http.knowledge import given, shared
from lamina.surfaces.http.routing import Called, Routes
from lamina.surfaces.http.seeing import SeenProject, in_project
from lamina.surfaces.http.shapes import Asked, Body
from lamina.surfaces.wire_memory import episode_out, page_out

ROUTES = Routes(tag="memory")
Action = Literal["attempted", "completed", "failed", "retried"]
Count = Annotated[int, Field(ge=0, le=2**63 - 1)]


class Wanted(Asked):
    """Which episodes are listed."""

    task_id: str | None = None
    agent_id: str | None = None
    action: Action | None = None


class Episode(Body):
    """What was tried, and how it went."""

    project: str | None = Field(None, description="The caller's own unless given.")
    task_id: str = Field(examples=["t-7"])
    agent_id: str | None = Field(
        None, description="Who tried it: the caller, or for orchestrators and admins another."
    )
    action: Action
    approach: str | None = Field(None, examples=["Cache the session in Redis"])
    outcome: str | None = None
    duration_ms: Count | None = None
    tokens_in: Count | None = None
    tokens_out: Count | None = None


@ROUTES.add("GET", "/api/memory/episodes", Permission.READ, answers=shapes.EpisodePage)
def list_episodes(memory: SeenProject, asked: Annotated[Wanted, Query()]) -> dict[str, Any]:
    """What was tried for a task, by an agent, or with an end, newest first."""
    named = {"data.task": asked.task_id, "source": asked.agent_id, "kind": asked.action}
    where = {"layer": "episode", **shared(memory), **given(named)}
    return page_out(paging.page(memory, where, asked.limit, asked.cursor), "episodes", episode_out)


@ROUTES.add("POST", "/api/memory/episodes", Permission.WRITE, answers=shapes.Receipt)
def record_episode(request: Request, caller: Called, body: Episode) -> dict[str, Any]:
    """Keep what was tried; an episode is never changed."""
    told = body.model_dump(exclude={"project", "task_id", "agent_id", "action"}, exclude_none=True)
    who = given({"agent": body.agent_id})
    memory = in_project(request, caller, body.project)
    return wire.receipt_out(memory.episode.record(body.task_id, body.action, **told, **who))
