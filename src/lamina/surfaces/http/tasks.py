"""Tasks: what is to be done, what it waits for, and how far it has come."""

from typing import Annotated, Any, Literal

from fastapi import Path, Query
from pydantic import Field

from lamina.core.permissions import Permission
from lamina.errors import InvalidInputError
from lamina.layers.tasks import ENDED, awaited
from lamina.orchestration.learning import learn
from lamina.surfaces import wire
from lamina.surfaces.http import layer_shapes, shapes
from lamina.surfaces.http.routing import Routes
from lamina.surfaces.http.seeing import Seen
from lamina.surfaces.http.shapes import Body, Question
from lamina.surfaces.wire_memory import whole_out

ROUTES = Routes(tag="tasks")
Name = Annotated[str, Path(description="What the task is called.", examples=["t-7"])]
Status = Literal["open", "active", "blocked", "done", "dropped"]


class Wanted(Question):
    """Which tasks are listed."""

    status: Status | None = None
    milestone: str | None = None
    archived: bool = False
    ready: bool = Field(False, description="Only open ones that wait for nothing.")
    limit: int = Field(100, ge=1, le=10_000)


class Plan(Body):
    """What may be said of a task."""

    milestone: str | None = None
    priority: int | None = Field(None, description="The greater, the more urgent.")
    acceptance: list[str] | None = Field(None, description="What must be true for it to be done.")
    blocked_by: list[str] | None = Field(None, description="The tasks that it waits for.")

    def said(self) -> Any:
        """What was said of it."""
        names = ("milestone", "priority", "acceptance", "blocked_by")
        return {name: one for name in names if (one := getattr(self, name)) is not None}


class Task(Plan):
    """A new task."""

    task: str = Field(description="What it is called.", examples=["t-7"])
    description: str


class Change(Plan):
    """What is to be different; what is not named stays."""

    description: str | None = None


class Move(Body):
    """How far it has come."""

    status: Status
    note: str = ""
    notebook: Literal["archive", "discard", "keep"] = Field(
        "archive", description="What becomes of its notes when it ends."
    )
    expect: int | None = Field(None, description="The revision it must have.")


@ROUTES.add("GET", "/api/tasks", Permission.READ, answers=shapes.Records)
def list_tasks(memory: Seen, asked: Annotated[Wanted, Query()]) -> dict[str, Any]:
    """Tasks, the most urgent first, then the oldest."""
    if asked.ready and (asked.status or asked.milestone or asked.archived):
        raise InvalidInputError("`ready` goes with `limit` alone", remedy="Leave the others out")
    found = (
        memory.task.ready(limit=asked.limit)
        if asked.ready
        else memory.task.query(
            status=asked.status, milestone=asked.milestone, archived=asked.archived,
            limit=asked.limit,
        )
    )  # fmt: skip
    return whole_out(found)


@ROUTES.add("POST", "/api/tasks", Permission.WRITE, answers=shapes.Receipt)
def add_task(memory: Seen, body: Task) -> dict[str, Any]:
    """Keep a new task; a name that is taken is refused."""
    return wire.receipt_out(memory.task.add(body.task, body.description, **body.said()))


@ROUTES.add("GET", "/api/task-graph", Permission.READ, answers=layer_shapes.Graph)
def task_graph(memory: Seen) -> dict[str, Any]:
    """Every task with those that it waits for."""
    found = memory.task.query(limit=10_000)
    waits = [{"task": one.key, "waits_for": name} for one in found for name in awaited(one)]
    return {"tasks": [wire.record_out(one) for one in found], "edges": waits}


@ROUTES.add("GET", "/api/tasks/{task}", Permission.READ, answers=shapes.Record)
def read_task(memory: Seen, task: Name) -> dict[str, Any]:
    """One task, be it archived."""
    return wire.record_out(memory.task.get(task))


@ROUTES.add("PATCH", "/api/tasks/{task}", Permission.WRITE, answers=shapes.Receipt)
def change_task(memory: Seen, task: Name, body: Change) -> dict[str, Any]:
    """Say something else of a task."""
    return wire.receipt_out(memory.task.change(task, body.description, **body.said()))


@ROUTES.add("POST", "/api/tasks/{task}/move", Permission.WRITE, answers=shapes.Receipt)
def move_task(memory: Seen, task: Name, body: Move) -> dict[str, Any]:
    """Give a task another status; a step that makes no sense is refused."""
    done = memory.task.move(
        task, body.status, note=body.note, notebook=body.notebook, expect=body.expect
    )
    if body.status in ENDED:
        learn(memory, [task])
    return wire.receipt_out(done)
