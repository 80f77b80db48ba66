"""Putting memories right: what has to do with one, several changed at once, what an undo does."""

from typing import Annotated, Any, cast

from fastapi import Query
from pydantic import BaseModel, Field

from lamina.core.permissions import Permission
from lamina.curation.face import MOST_EDITS
from lamina.curation.links import MOST
from lamina.surfaces import wire
from lamina.surfaces.http import shapes
from lamina.surfaces.http.records import Change, Name, Undo
from lamina.surfaces.http.routing import Routes
from lamina.surfaces.http.seeing import Seen
from lamina.surfaces.http.shapes import Body, Question, Record
from lamina.surfaces.wire_curation import neighbourhood_out, undoing_out

ROUTES = Routes(tag="records")


class Tie(BaseModel):
    """One way in which two memories are tied."""

    how: str = Field(
        description="supersedes, superseded_by, rival, cites, cited_by, same_key, same_task,"
        " recalled_with or shares.",
        examples=["cites"],
    )
    why: str = Field(description="The field, key, task or words; may be empty.")


class Neighbour(BaseModel):
    """A memory, and what ties it, the strongest first."""

    record: Record
    ties: list[Tie]


class Neighbourhood(BaseModel):
    """What one memory has to do with others, as far as the caller sees them."""

    record: str
    neighbours: list[Neighbour]
    left_out: int = Field(description="How many more were found.")
    chain: list[Record] = Field(description="What it replaced and what replaced it, oldest first.")


class Undoing(BaseModel):
    """A memory as it is, and as it would be."""

    now: Record
    then: Record


class Undone(BaseModel):
    """What taking back would do."""

    undoing: list[Undoing]


class Around(Question):
    """How many neighbours are wanted."""

    limit: int = Field(MOST, ge=1, le=MOST)


class Edit(Change):
    """What is to be different about one memory."""

    id: str


class Edits(Body):
    """Several changes in one commit: all of them, or none."""

    records: list[Edit] = Field(min_length=1, max_length=MOST_EDITS)


class Gone(Body):
    """The memories to be hidden together."""

    ids: list[str] = Field(min_length=1, max_length=MOST_EDITS)


@ROUTES.add("GET", "/api/records/{name}/neighbours", Permission.READ, answers=Neighbourhood)
def neighbours(memory: Seen, name: Name, asked: Annotated[Around, Query()]) -> dict[str, Any]:
    """What a record has to do with others: cited, replaced, of one task, recalled together."""
    return neighbourhood_out(memory.curation.neighbours(name, limit=asked.limit))


@ROUTES.add("PATCH", "/api/records", Permission.WRITE, answers=shapes.Receipt)
def edit_records(memory: Seen, body: Edits) -> dict[str, Any]:
    """Give several records a new version each in one commit, which one undo takes back."""
    edits = [cast("Any", {**one.said(), "id": one.id}) for one in body.records]
    return wire.receipt_out(memory.curation.edit(edits))


@ROUTES.add("POST", "/api/records/forget", Permission.WRITE, answers=shapes.Receipt)
def forget_records(memory: Seen, body: Gone) -> dict[str, Any]:
    """Hide several records in one commit, which one undo takes back."""
    return wire.receipt_out(memory.forget(*body.ids))


@ROUTES.add("POST", "/api/undo/preview", Permission.WRITE, answers=Undone)
def would_undo(memory: Seen, body: Undo) -> dict[str, Any]:
    """What taking back a transaction would do, or why it cannot be taken back; nothing is done."""
    return undoing_out(memory.curation.would_undo(body.tx))
