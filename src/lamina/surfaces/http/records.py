"""Records: list, read, remember, change, forget, take back, accept, erase."""

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, cast

from fastapi import Header, Path, Query
from fastapi.responses import JSONResponse, Response
from pydantic import Discriminator, Field, Tag

from lamina.core.canonical import loads
from lamina.core.filters import parse
from lamina.core.permissions import Permission
from lamina.errors import ConflictError, InvalidInputError
from lamina.surfaces import wire, wire_memory
from lamina.surfaces.http import paging, shapes
from lamina.surfaces.http.problems import Refusal
from lamina.surfaces.http.routing import Routes
from lamina.surfaces.http.seeing import Seen
from lamina.surfaces.http.shapes import Asked, Body, Object, Question, problem_shape
from lamina.surfaces.wire_erasing import erasure_plan_out
from lamina.surfaces.wire_memory import page_out

if TYPE_CHECKING:
    from lamina.core.draft import Draft

ROUTES = Routes(tag="records")
Name = Annotated[str, Path(description="An id, or a key that only one visible record has.")]
AsOf = Annotated[
    str | None, Field(description="As it was then: an instant, a span ago as 7d, or a cursor.")
]
Share = Annotated[float, Field(ge=0, le=1)]
_TAG: Final = re.compile(r'"([0-9]{1,18})"')
_ETAG: Final = {"ETag": {"description": "Its revision.", "schema": {"type": "string"}}}
TAGGED: Final = {200: {"headers": _ETAG}, 304: {"description": "It is as it was."}}
MATCHED: Final = {412: problem_shape("Its revision is not the one that If-Match says.")}


class _Content(Body):
    """What may be said about a memory besides its text."""

    kind: str | None = Field(None, examples=["decision"])
    tags: list[str] | None = None
    data: Object | None = None
    importance: Share | None = None
    confidence: Share | None = None
    expires: str | None = Field(None, description="An instant, or a span from now as 7d.")
    valid_from: str | None = None
    via: Literal["user", "system", "agent", "tool", "web", "file"] | None = Field(
        None, description="Where it really comes from, when that is less trusted than the caller."
    )
    source: str | None = Field(None, description="Who said it; for orchestrators and admins.")

    def said(self) -> dict[str, Any]:
        """The fields that were sent; null counts as sent where it means something."""
        sent = {name: getattr(self, name) for name in self.model_fields_set}
        empty = {"expires", "valid_from", "key", "expect"}
        return {name: one for name, one in sent.items() if one is not None or name in empty}


class Memory(_Content):
    """One memory to keep."""

    text: str = Field(examples=["Sessions live in Redis"])
    layer: str | None = Field(None, description="`knowledge` unless given.")
    scope: str | None = Field(None, examples=["project/web"])
    key: str | None = None
    id: str | None = Field(None, description="An id of the caller's own; it becomes the key.")
    expect: int | None = Field(None, description="The revision that must be there; 0 for none.")

    def draft(self) -> dict[str, Any]:
        """The memory as the library takes it."""
        said = self.said()
        given = said.pop("id", None)
        if given is None:
            return said
        if said.get("key") is not None:
            raise InvalidInputError("`id` and `key` mean the same", remedy="Send one of them")
        return {**said, "key": given}


class Memories(Body):
    """Several memories to keep in one commit: all of them, or none."""

    records: list[Memory] = Field(min_length=1, max_length=1_000)


class Names(Body):
    """Some memories, each by id or key."""

    names: list[str] = Field(min_length=1, max_length=1_000, examples=[["deploy-day"]])


class Undo(Body):
    """The transaction to take back."""

    tx: str = Field(description="As its receipt says.", examples=["01kaf5r8q4m3n2p7d6s9t0v1w2"])


class Change(_Content):
    """What is to be different; what is not named stays."""

    text: str | None = None
    expect: int | None = Field(None, description="The revision it must have; If-Match says it too.")


class Which(Question):
    """Which record is meant, where several have the key, and as of when."""

    layer: str | None = None
    kind: str | None = None
    as_of: AsOf = None


class Past(Question):
    """How much of a history is wanted."""

    last: int | None = Field(None, ge=1, le=10_000, description="Only so many, the newest.")


def _one_or_many(body: Any) -> str:
    return "MANY" if isinstance(body, dict) and "records" in body else "ONE"


OneOrMany = Annotated[
    Annotated[Memory, Tag("ONE")] | Annotated[Memories, Tag("MANY")], Discriminator(_one_or_many)
]


class Listing(Asked):
    """Which records are listed."""

    where: str | None = Field(None, description='A filter as JSON: {"importance": {"$gte": 0.7}}.')
    layer: str | None = None
    kind: str | None = None
    key: str | None = None
    state: str | None = None
    source: str | None = None
    scope: str | None = Field(None, description="Only in this scope and below it.")
    order_by: str | None = Field(
        None, description="A field, greatest first; with `-` before it, least first.",
        examples=["updated_at"],
    )  # fmt: skip
    as_of: AsOf = None

    def filter(self) -> dict[str, Any]:
        """All of it as one filter."""
        read = {} if self.where is None else loads(self.where, "where")
        parse(read)
        names = ("layer", "kind", "key", "state", "source")
        return {
            **read,
            **{one: found for one in names if (found := getattr(self, one)) is not None},
        }


@ROUTES.add("GET", "/api/records", Permission.READ, answers=shapes.Records)
def list_records(memory: Seen, asked: Annotated[Listing, Query()]) -> dict[str, Any]:
    """List records, newest first or by a field; current ones unless a state is named."""
    wanted = {"scope": asked.scope, "as_of": asked.as_of, "order_by": asked.order_by}
    found = paging.page(memory, asked.filter(), asked.limit, asked.cursor, **wanted)
    return page_out(found, "records", wire.record_out)


@ROUTES.add("POST", "/api/records", Permission.WRITE, answers=shapes.Receipt)
def remember(
    memory: Seen,
    body: OneOrMany,
    idempotency_key: Annotated[
        str | None,
        Header(description="Sent again with the same body, nothing is kept twice.", max_length=512),
    ] = None,
) -> dict[str, Any]:
    """Keep a memory, or several in one commit; with a `key`, the new value replaces the old."""
    many = body.records if isinstance(body, Memories) else [body]
    drafts = cast("list[Draft]", [one.draft() for one in many])
    return wire.receipt_out(memory.remember_many(drafts, idempotency_key=idempotency_key))


@ROUTES.add("GET", "/api/records/{name}", Permission.READ, answers=shapes.Record, responses=TAGGED)
def get_record(
    memory: Seen,
    name: Name,
    asked: Annotated[Which, Query()],
    if_none_match: Annotated[str | None, Header(description="The ETag that is known.")] = None,
) -> Response:
    """One record by id, or the current one that holds a key; its ETag is its revision."""
    found = memory.get(name, layer=asked.layer, kind=asked.kind, as_of=asked.as_of)
    headers = {"ETag": f'"{found.rev}"'}
    if if_none_match is not None and _names(if_none_match, found.rev):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return JSONResponse(wire.record_out(found), headers=headers)


@ROUTES.add("PATCH", "/api/records/{name}", Permission.WRITE, answers=shapes.Receipt,
            responses=MATCHED)  # fmt: skip
def edit_record(
    memory: Seen,
    name: Name,
    body: Change,
    if_match: Annotated[str | None, Header(description="The ETag it must have.")] = None,
) -> dict[str, Any]:
    """Give a record a new version; what is not named stays.

    A revision that is not the current one is refused: 412 where `If-Match` said it, 409 where
    `expect` did. Read the record again and decide.
    """
    said = body.said()
    if if_match is None:
        return wire.receipt_out(memory.edit(name, **said))
    if "expect" in said:
        raise InvalidInputError("`expect` and If-Match mean the same", remedy="Send one of them")
    try:
        return wire.receipt_out(memory.edit(name, **said, expect=_rev(if_match)))
    except ConflictError as error:
        raise Refusal(
            HTTPStatus.PRECONDITION_FAILED, error.code, error.message, error.remedy
        ) from None


@ROUTES.add("DELETE", "/api/records/{name}", Permission.WRITE, answers=shapes.Receipt)
def forget_record(memory: Seen, name: Name) -> dict[str, Any]:
    """Hide a record; `POST /api/undo` with the receipt's `tx` brings it back."""
    return wire.receipt_out(memory.forget(name))


@ROUTES.add("GET", "/api/records/{name}/history", Permission.READ, answers=shapes.History)
def record_history(memory: Seen, name: Name, asked: Annotated[Past, Query()]) -> dict[str, Any]:
    """Every change of a record with the version it made, oldest first; or the last of them."""
    found = memory.history(name)
    shown = found if asked.last is None else found[-asked.last :]
    return wire_memory.history_out(shown, len(found))


@ROUTES.add("POST", "/api/records/{name}/accept", Permission.SETTLE, answers=shapes.Receipt)
def accept_record(memory: Seen, name: Name) -> dict[str, Any]:
    """Make a proposal current; what it replaces stays in its history."""
    return wire.receipt_out(memory.accept(name))


@ROUTES.add("POST", "/api/records/{name}/erase", Permission.WRITE, answers=shapes.Erasure)
def erase_record(memory: Seen, name: Name) -> dict[str, Any]:
    """Remove a record for good, and report where its bytes were looked for. There is no undo."""
    return wire.erasure_out(memory.erase(name))


@ROUTES.add("POST", "/api/erase/preview", Permission.WRITE, answers=shapes.ErasurePlan)
def preview_erase(memory: Seen, body: Names) -> dict[str, Any]:
    """What erasing these memories would remove, and what of it would stay. Nothing is changed."""
    return erasure_plan_out(memory.would_erase(*body.names))


@ROUTES.add("POST", "/api/erase", Permission.WRITE, answers=shapes.Erasure)
def erase_records(memory: Seen, body: Names) -> dict[str, Any]:
    """Remove memories for good, all or none, and report. There is no undo."""
    return wire.erasure_out(memory.erase(*body.names))


@ROUTES.add("POST", "/api/undo", Permission.WRITE, answers=shapes.Receipt)
def undo(memory: Seen, body: Undo) -> dict[str, Any]:
    """Take back a whole transaction, unless its records have moved on since."""
    return wire.receipt_out(memory.undo(body.tx))


def _rev(tag: str) -> int:
    """The revision that an ETag stands for."""
    found = _TAG.fullmatch(tag.strip())
    if found is None:
        raise InvalidInputError(
            f"`If-Match` is no ETag of a record: {tag!r:.40}",
            remedy='Send the ETag that reading the record gave, as "3"',
        )
    return int(found[1])


def _names(tags: str, rev: int) -> bool:
    """Whether a list of ETags has the one of a revision."""
    listed = [one.strip().removeprefix("W/") for one in tags.split(",")]
    return "*" in listed or f'"{rev}"' in listed
