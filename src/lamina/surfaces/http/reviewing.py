"""What a person should look at, and what they decide about it."""

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel, Field

from lamina.core.permissions import Permission
from lamina.errors import InvalidInputError
from lamina.surfaces import wire
from lamina.surfaces.http import shapes
from lamina.surfaces.http.routing import Routes
from lamina.surfaces.http.seeing import Seen
from lamina.surfaces.http.shapes import Body, Question
from lamina.surfaces.wire_review import alike_out, doubts_out, settled_out, waiting_out

ROUTES = Routes(tag="review")
Ids = Annotated[list[str], Field(max_length=1_000, description="Proposals by id.")]


class Wanted(Question):
    """How many proposals are asked for."""

    limit: int = Field(100, ge=1, le=1_000, description="At most so many, the newest.")


class Looked(Question):
    """How far to look."""

    look: int = Field(
        2_000, ge=1, le=10_000, description="So many memories of each degree of trust, the newest."
    )


class Near(Question):
    """How far to look."""

    look: int = Field(3_000, ge=1, le=10_000, description="So many, the newest.")


class Decided(Body):
    """What becomes of proposals."""

    accept: Ids = []
    reject: Ids = []
    edited: dict[str, str] = Field({}, description="Better words for accepted ones, by id.")


class Merged(Body):
    """One memory that stands for others from now on."""

    stays: str
    others: list[str] = Field(min_length=1, max_length=100)


class AllMerged(Body):
    """Groups of which one stays each."""

    groups: list[Merged] = Field(min_length=1, max_length=500)


class Kept(Body):
    """Memories that were looked at and stay as they are."""

    ids: list[str] = Field(min_length=1, max_length=1_000)
    about: Literal["stale", "apart", "sound", "narrow"]


class Evidence(BaseModel):
    """Where something was read."""

    quote: str
    record: shapes.Record | None
    place: str | None = Field(description="The file and line, where it was a file.")


class Waiting(BaseModel):
    """A proposal, and what to know to decide on it."""

    record: shapes.Record
    stands: shapes.Record | None = Field(description="What stands in its place now.")
    why: list[str]
    evidence: list[Evidence]


class Queue(BaseModel):
    """What waits for somebody to accept or reject it."""

    waiting: list[Waiting]
    total: int = Field(description="How many wait, whatever the limit.")


class Left(BaseModel):
    """What was not decided, and why."""

    id: str
    why: str


class Settled(BaseModel):
    """What was decided in one transaction."""

    receipt: shapes.Receipt | None
    done: list[str]
    left: list[Left]


class Sign(BaseModel):
    """What looks odd about a text, and where in it."""

    sign: str = Field(description="orders, hidden, encoded, link, contradicts or burst")
    why: str
    start: int = Field(description="Where it begins in the text, in units of UTF-16.")
    end: int


class Doubtful(BaseModel):
    """A memory that had better be looked at."""

    record: shapes.Record
    signs: list[Sign]


class Doubts(BaseModel):
    """What looks suspicious among the memories that were looked at."""

    looked: int
    more: bool
    found: list[Doubtful]


class Group(BaseModel):
    """Memories that say nearly the same."""

    records: list[shapes.Record]


class Alike(BaseModel):
    """What says nearly the same as something else."""

    groups: list[Group]


@ROUTES.add("GET", "/api/review/waiting", Permission.READ, answers=Queue)
def list_waiting(memory: Seen, asked: Annotated[Wanted, Query()]) -> dict[str, Any]:
    """Proposals with what stands in their place, why they wait, and where they were read."""
    found = memory.lifecycle.review.waiting(limit=asked.limit)
    total = len(found) if len(found) < asked.limit else memory.lifecycle.review.count()
    return {"waiting": [waiting_out(one) for one in found], "total": total}


@ROUTES.add("POST", "/api/review/settle", Permission.SETTLE, answers=Settled)
def settle(memory: Seen, body: Decided) -> dict[str, Any]:
    """Accept and reject proposals in one transaction; what cannot be decided is left and told."""
    review = memory.lifecycle.review
    return settled_out(review.settle(accept=body.accept, reject=body.reject, edited=body.edited))


@ROUTES.add("GET", "/api/review/alike", Permission.READ, answers=Alike)
def list_alike(memory: Seen, asked: Annotated[Near, Query()]) -> dict[str, Any]:
    """Knowledge of one place that says nearly the same, the likest first; nothing is done."""
    return alike_out(memory.lifecycle.review.alike(look=asked.look))


@ROUTES.add("POST", "/api/review/merge", Permission.WRITE, answers=shapes.Receipt)
def merge(memory: Seen, body: AllMerged) -> dict[str, Any]:
    """Let memories stand for others that say nearly the same, all in one transaction."""
    groups = {one.stays: one.others for one in body.groups}
    if len(groups) < len(body.groups):
        raise InvalidInputError("a memory stays in two groups", remedy="Name each once")
    return wire.receipt_out(memory.lifecycle.review.merge_all(groups))


@ROUTES.add("POST", "/api/review/keep", Permission.ADMIN, answers=shapes.Receipt)
def keep(memory: Seen, body: Kept) -> dict[str, Any]:
    """Let memories stand, so that nobody is asked about them again."""
    return wire.receipt_out(memory.lifecycle.review.keep(*body.ids, about=body.about))


@ROUTES.add("GET", "/api/review/doubtful", Permission.READ, answers=Doubts)
def list_doubtful(memory: Seen, asked: Annotated[Looked, Query()]) -> dict[str, Any]:
    """Memories that look as if somebody wanted to steer agents with them; nothing is done."""
    return doubts_out(memory.lifecycle.review.doubtful(look=asked.look))
