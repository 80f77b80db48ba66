"""The files that work has produced, in the words of the four-layer design."""

from typing import Annotated, Any, Literal

from fastapi import Query, Request
from pydantic import Field

from lamina import clock
from lamina.core.permissions import Permission
from lamina.errors import ForbiddenError, UnsupportedError
from lamina.surfaces import wire
from lamina.surfaces.http import layer_shapes, paging, shapes
from lamina.surfaces.http.knowledge import Id, forgotten, given, shared
from lamina.surfaces.http.routing import Called, Routes, engine_of
from lamina.surfaces.http.seeing import SeenProject, in_project
from lamina.surfaces.http.shapes import Asked, Body, Question
from lamina.surfaces.wire_layers import verification_out
from lamina.surfaces.wire_memory import artifact_out, page_out

ROUTES = Routes(tag="memory")
Type = Literal["file", "patch", "test", "document", "config"]


class Wanted(Asked):
    """Which artifacts are listed."""

    task_id: str | None = None
    type: Type | None = None


class Looked(Question):
    """Which files are looked at."""

    task_id: str | None = None


class Artifact(Body):
    """A file, and the task that produced it."""

    project: str | None = Field(None, description="The caller's own unless given.")
    task_id: str = Field(examples=["t-7"])
    agent_id: str | None = Field(
        None, description="Who made it: the caller, or for orchestrators and admins another."
    )
    type: Type = "file"
    path: str = Field(description="Relative to the workspace.", examples=["src/auth.py"])
    description: str | None = None
    size_bytes: int | None = Field(None, ge=0, le=2**63 - 1)
    checksum: str | None = Field(None, description="SHA-256, 64 digits.", pattern="^[0-9a-f]{64}$")


@ROUTES.add("GET", "/api/memory/artifacts", Permission.READ, answers=shapes.ArtifactPage)
def list_artifacts(memory: SeenProject, asked: Annotated[Wanted, Query()]) -> dict[str, Any]:
    """The files that were produced for a task, or of a type, newest first."""
    named = {"data.task": asked.task_id, "kind": asked.type}
    where = {"layer": "artifact", **shared(memory), **given(named)}
    found = paging.page(memory, where, asked.limit, asked.cursor)
    return page_out(found, "artifacts", artifact_out)


@ROUTES.add("POST", "/api/memory/artifacts", Permission.WRITE, answers=shapes.Receipt)
def declare_artifact(request: Request, caller: Called, body: Artifact) -> dict[str, Any]:
    """Keep that a task produced a file; the server does not look at the file."""
    named = {
        "kind": body.type, "description": body.description, "size": body.size_bytes,
        "sha256": body.checksum, "agent": body.agent_id,
    }  # fmt: skip
    memory = in_project(request, caller, body.project)
    kept = memory.artifact.declare(body.path, task=body.task_id, **given(named))
    return wire.receipt_out(kept)


@ROUTES.add("DELETE", "/api/memory/artifacts/{id}", Permission.WRITE, answers=shapes.Receipt)
def forget_artifact(memory: SeenProject, id: Id) -> dict[str, Any]:  # noqa: A002 - the design's name
    """Take an entry out; the file stays, and `POST /api/undo` brings the entry back."""
    return wire.receipt_out(forgotten(memory, id, "artifact"))


@ROUTES.add(
    "GET", "/api/memory/artifacts/verify", Permission.ADMIN, answers=layer_shapes.Verification
)
def verify_artifacts(
    request: Request, caller: Called, memory: SeenProject, asked: Annotated[Looked, Query()]
) -> dict[str, Any]:
    """Compare artifacts with the files of the workspace that the server was started with.

    For the owner alone: who could both declare and verify would learn which files are there.
    """
    if caller.principal.root is not None:
        raise ForbiddenError(
            "files are looked at for the store's owner alone",
            remedy="Run `lamina artifacts verify` where the files are",
        )
    workspace = engine_of(request).workspace
    if workspace is None:
        raise UnsupportedError(
            "this server has no workspace to look for files in",
            remedy="Start it with `lamina serve --workspace DIR`",
        )
    found = list(memory.artifact.verify(workspace=workspace, task=asked.task_id))
    return verification_out(found, str(workspace), clock.now())
