"""What an agent does, did and knows: its status, its log and its facts."""

from typing import Annotated, Any, Literal

from fastapi import Path, Query
from pydantic import Field

from lamina.core.permissions import Permission
from lamina.surfaces import wire
from lamina.surfaces.http import layer_shapes, shapes
from lamina.surfaces.http.routing import Routes
from lamina.surfaces.http.seeing import Seen
from lamina.surfaces.http.shapes import Body, Object, Question
from lamina.surfaces.wire_layers import status_out
from lamina.surfaces.wire_memory import whole_out

ROUTES = Routes(tag="agents")
Key = Annotated[str, Path(description="The key of the fact.", examples=["timezone"])]
Sort = Literal["TOOL_USE", "THOUGHT", "USER_FEEDBACK", "ERROR", "SYSTEM"]
Category = Literal["general", "preference", "personal", "config"]


class Status(Body):
    """What is being done; what is not named stays."""

    objective: str | None = None
    next_steps: list[str] | None = None
    expect: int | None = Field(None, description="The `rev` that was read; another is refused.")


class Entry(Body):
    """One entry of the log."""

    type: Sort
    content: str
    metadata: Object | None = None


class Tail(Question):
    """Which entries are read."""

    n: int | None = Field(None, ge=1, le=10_000, description="So many; as `log.tail` unless given.")
    type: Sort | None = None


class Fact(Body):
    """A value."""

    value: str
    category: Category = "general"


class Facts(Question):
    """Which facts are listed."""

    category: Category | None = None
    limit: int = Field(1_000, ge=1, le=10_000)


@ROUTES.add("GET", "/api/now", Permission.READ, answers=layer_shapes.Status)
def read_now(memory: Seen) -> dict[str, Any]:
    """What is being done, and what comes next."""
    return status_out(memory.now.read(), memory.now.scope)


@ROUTES.add("PUT", "/api/now", Permission.WRITE, answers=shapes.Receipt)
def update_now(memory: Seen, body: Status) -> dict[str, Any]:
    """Say what is being done, what comes next, or both."""
    return wire.receipt_out(memory.now.update(body.objective, body.next_steps, expect=body.expect))


@ROUTES.add("GET", "/api/log", Permission.READ, answers=shapes.Records)
def read_log(memory: Seen, asked: Annotated[Tail, Query()]) -> dict[str, Any]:
    """The last entries of the log, oldest first."""
    found = memory.log.tail(asked.n, kind=asked.type)
    return whole_out(found)


@ROUTES.add("POST", "/api/log", Permission.WRITE, answers=shapes.Receipt)
def append_log(memory: Seen, body: Entry) -> dict[str, Any]:
    """Add an entry to the log; it is never changed."""
    return wire.receipt_out(memory.log.append(body.type, body.content, **(body.metadata or {})))


@ROUTES.add("GET", "/api/facts", Permission.READ, answers=shapes.Records)
def list_facts(memory: Seen, asked: Annotated[Facts, Query()]) -> dict[str, Any]:
    """Every fact, or those of a category, newest first."""
    found = memory.fact.records(asked.category, limit=asked.limit)
    return whole_out(found)


@ROUTES.add("GET", "/api/facts/{key:path}", Permission.READ, answers=shapes.Record)
def read_fact(memory: Seen, key: Key) -> dict[str, Any]:
    """The record behind a fact, with its source, trust and times."""
    return wire.record_out(memory.fact.record(key))


@ROUTES.add("PUT", "/api/facts/{key:path}", Permission.WRITE, answers=shapes.Receipt)
def save_fact(memory: Seen, key: Key, body: Fact) -> dict[str, Any]:
    """Keep a value; with the same key again, the new one counts."""
    return wire.receipt_out(memory.fact.save(key, body.value, body.category))


@ROUTES.add("DELETE", "/api/facts/{key:path}", Permission.WRITE, answers=shapes.Receipt)
def forget_fact(memory: Seen, key: Key) -> dict[str, Any]:
    """Hide a fact; `POST /api/undo` with the receipt's `tx` brings it back."""
    return wire.receipt_out(memory.fact.forget(key))
