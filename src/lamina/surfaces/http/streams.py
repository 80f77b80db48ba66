"""The routes of what happens, as server-sent events."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Depends, Header, Query, Request

from lamina.core.changes import Action, Changed
from lamina.core.layers import layer_named
from lamina.core.permissions import Permission
from lamina.core.scope import Scope
from lamina.errors import InvalidInputError
from lamina.feed import Feed, check_timeout
from lamina.layers.subscription import is_news
from lamina.memory import Memory
from lamina.surfaces.http.routing import Called, Caller, Routes, engine_of
from lamina.surfaces.http.seeing import Seen
from lamina.surfaces.http.streaming import EventStream, Source, change_frame, news_frame

ROUTES = Routes(tag="streams")

_ACTIONS: Final = tuple(action.value for action in Action if action is not Action.UNCHANGED)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which changes are wanted; what is not named is no condition."""

    layer: str | None
    kind: str | None
    key_prefix: str | None
    actions: frozenset[str]

    def takes(self, change: Changed) -> bool:
        """Whether this is one of them; of an erased record only the action is known."""
        if self.actions and change.event.action.value not in self.actions:
            return False
        record = change.record or change.before
        if record is None:
            return self.layer is None and self.kind is None and self.key_prefix is None
        return (
            self.layer in (None, record.layer)
            and self.kind in (None, record.kind)
            and (self.key_prefix is None or (record.key or "").startswith(self.key_prefix))
        )


async def chosen(
    layer: str | None = None,
    kind: str | None = None,
    key_prefix: str | None = None,
    actions: Annotated[
        str | None, Query(description=f"Some of {', '.join(_ACTIONS)}, with commas between.")
    ] = None,
) -> Chosen:
    """Read which changes are wanted."""
    named = frozenset(actions.split(",")) if actions else frozenset()
    for action in named.difference(_ACTIONS):
        raise InvalidInputError(
            f"`actions` holds no action: {action!r:.40}",
            remedy=f"Use some of: {', '.join(_ACTIONS)}",
        )
    return Chosen(layer and layer_named(layer).name, kind, key_prefix, named)


@dataclass(frozen=True, slots=True)
class Start:
    """Where a stream begins, and when it ends by itself."""

    after: str | None
    patience: float | None


async def start(
    after: Annotated[
        str | None, Query(description="The cursor to begin behind; without one it begins now.")
    ] = None,
    last_event_id: Annotated[
        str | None,
        Header(description="As `after`, which it goes before: browsers send it when they return."),
    ] = None,
    timeout: Annotated[
        float | None,
        Query(description="End after so many seconds without an event; without it, never."),
    ] = None,
) -> Start:
    """Read where a stream begins."""
    return Start(last_event_id or after, check_timeout(timeout))


Choice = Annotated[Chosen, Depends(chosen)]
Started = Annotated[Start, Depends(start)]


@ROUTES.add("GET", "/api/changes/stream", Permission.READ, response_class=EventStream)
def stream_changes(
    request: Request, caller: Called, memory: Seen, choice: Choice, started: Started,
    scope: Annotated[str | None, Query(description="Only in this scope and below it.")] = None,
) -> EventStream:  # fmt: skip
    """Every change that the caller can see, as it happens: `event: change`, `id:` its cursor."""
    told = _Told(memory, scope, choice.takes, change_frame)
    return _streamed(request, caller, told, started)


@ROUTES.add("GET", "/api/blackboard/stream", Permission.READ, response_class=EventStream)
def stream_blackboard(
    request: Request, caller: Called, memory: Seen, started: Started,
    prefix: Annotated[str, Query(description="How the keys begin.")] = "",
) -> EventStream:  # fmt: skip
    """Every change of a board under keys that begin so: `event: news`, `id:` its cursor."""
    board = memory.blackboard.scope
    told = _Told(memory, board, lambda change: is_news(change, board, prefix), news_frame)
    return _streamed(request, caller, told, started)


@dataclass(frozen=True, slots=True)
class _Told:
    """What a stream is about."""

    memory: Memory
    scope: str | None
    takes: Callable[[Changed], bool]
    form: Callable[[Changed], bytes]


def _streamed(request: Request, caller: Caller, told: _Told, started: Start) -> EventStream:
    hub, memory = engine_of(request).hub, told.memory
    hub.check_room()

    def behind(cursor: str) -> Feed:
        return memory.changes(cursor, scope=told.scope)

    # A cursor that does not belong here is refused before the stream begins.
    feed = behind(started.after or memory.cursor())
    reach = memory.reach if told.scope is None else memory.reach.within(Scope.of(told.scope))
    source = Source(behind, reach, told.takes, told.form, caller.identity, started.patience)
    return EventStream(hub, source, feed)
