"""What happened, page by page; `/api/changes/stream` tells it as it happens."""

from itertools import islice
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from lamina.core.permissions import Permission
from lamina.surfaces import wire
from lamina.surfaces.http import shapes
from lamina.surfaces.http.routing import Routes
from lamina.surfaces.http.seeing import Seen
from lamina.surfaces.http.shapes import Question

ROUTES = Routes(tag="changes")


class Asked(Question):
    """From where on, and how much."""

    after: str | None = Field(None, description="A cursor; from the beginning unless given.")
    limit: int = Field(100, ge=1, le=1_000)
    scope: str | None = Field(None, description="Only in this scope and below it.")


@ROUTES.add("GET", "/api/changes", Permission.READ, answers=shapes.Changes)
def list_changes(memory: Seen, asked: Annotated[Asked, Query()]) -> dict[str, Any]:
    """What happened behind a cursor, each change once and in order; `cursor` goes on from there."""
    with memory.changes(asked.after, scope=asked.scope) as feed:
        found = [wire.change_out(one) for one in islice(feed, asked.limit)]
        return {"changes": found, "cursor": feed.cursor, "more": len(found) == asked.limit}


@ROUTES.add("GET", "/api/cursor", Permission.READ, answers=shapes.Place)
def read_cursor(memory: Seen) -> dict[str, Any]:
    """The present as a place in history: for `after` and `as_of`."""
    return {"cursor": memory.cursor()}
