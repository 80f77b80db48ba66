"""Sessions: what was said, message by message, and what gives way to a summary."""

from typing import Annotated, Any, Final, Literal

from fastapi import Path, Query
from pydantic import Field

from lamina.core.permissions import Permission
from lamina.errors import InvalidInputError
from lamina.models.summing import summariser
from lamina.surfaces import wire
from lamina.surfaces.http import layer_shapes, shapes
from lamina.surfaces.http.routing import Routes
from lamina.surfaces.http.seeing import Seen
from lamina.surfaces.http.shapes import Body, Object, Question
from lamina.surfaces.wire_lifecycle import compaction_out
from lamina.surfaces.wire_memory import whole_out

ROUTES = Routes(tag="sessions")
Name = Annotated[str, Path(description="The name of the session.", examples=["s-1"])]
_OWN: Final = frozenset(("role", "text", "id", "cites"))


class Kept(Question):
    """Whether archived ones are asked for as well."""

    archived: bool = False


class Reading(Kept):
    """Which messages are read."""

    last: int | None = Field(None, ge=1, le=10_000, description="So many of the last.")
    view: bool = Field(False, description="What goes before a model: the summary, then the rest.")


class Message(Body):
    """One message."""

    role: Literal["user", "assistant", "tool_call", "tool_result", "summary"]
    text: str
    id: str | None = Field(None, description="An own id; the same id and role again is refused.")
    cites: list[str] | None = None
    data: Object | None = None

    def said(self) -> dict[str, Any]:
        """The message as the library takes it."""
        more = self.data or {}
        if odd := _OWN & more.keys():
            raise InvalidInputError(f"`data` holds `{min(odd)}`, which is a field of the message")
        own = self.model_dump(exclude={"data"}, exclude_none=True)
        return {**more, **own}


class Said(Body):
    """The messages of one step: all of them are kept, or none."""

    messages: list[Message] = Field(min_length=1, max_length=1_000)
    continues: str | None = Field(None, description="The session that this one goes on from.")


class Compacting(Body):
    """How compaction goes."""

    force: bool = Field(False, description="Whether or not it is due.")
    dry_run: bool = False


@ROUTES.add("GET", "/api/sessions", Permission.READ, answers=layer_shapes.Names)
def list_sessions(memory: Seen, asked: Annotated[Kept, Query()]) -> dict[str, Any]:
    """The sessions there are, that of the newest message first."""
    return {"sessions": memory.session.names(archived=asked.archived)}


@ROUTES.add("GET", "/api/sessions/{name}", Permission.READ, answers=shapes.Records)
def read_session(memory: Seen, name: Name, asked: Annotated[Reading, Query()]) -> dict[str, Any]:
    """The messages in order, or the last of them."""
    session = memory.session(name)
    found = session.view() if asked.view else session.read(last=asked.last, archived=asked.archived)
    return whole_out(found)


@ROUTES.add("POST", "/api/sessions/{name}", Permission.WRITE, answers=shapes.Receipt)
def append(memory: Seen, name: Name, body: Said) -> dict[str, Any]:
    """Add messages in one commit; a message is never changed."""
    session = memory.session(name, continues=body.continues)
    return wire.receipt_out(session.extend([one.said() for one in body.messages]))


@ROUTES.add("GET", "/api/sessions/{name}/thread", Permission.READ, answers=layer_shapes.Names)
def read_thread(memory: Seen, name: Name) -> dict[str, Any]:
    """The sessions that this one continues, oldest first, and itself at the end."""
    return {"sessions": [one.name for one in memory.session(name).thread()]}


@ROUTES.add(
    "POST", "/api/sessions/{name}/compact", Permission.WRITE, answers=layer_shapes.Compacted
)
def compact(memory: Seen, name: Name, body: Compacting) -> dict[str, Any]:
    """Put a summary in the place of the older messages, if that is due; `undo` takes it back."""
    session, summarise = memory.session(name), summariser(memory)
    plan = session.plan_compaction(force=body.force, summarise=summarise)
    if plan is None:
        return {"applied": False, "compacted": []}
    done = None if body.dry_run else session.compact(force=body.force, summarise=summarise)
    told = compaction_out(f"session {name}", plan, done)
    return {"applied": done is not None, "compacted": [told]}
