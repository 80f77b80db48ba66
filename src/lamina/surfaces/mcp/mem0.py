"""The profile `mem0`: memories under the names that Mem0's users know.

Who a memory is about (`user_id`, `agent_id`, `run_id`) is kept with it and can be filtered by; what
a caller may see is decided by who the caller is, as everywhere. Nothing is rewritten by a model:
what is added is kept as it was said.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Final

from lamina.core.filters import MAX_CONDITIONS, Filter, parse
from lamina.core.instants import to_text
from lamina.core.permissions import Permission
from lamina.core.record import Record, State
from lamina.core.sealed import hidden
from lamina.errors import InvalidInputError, NotFoundError
from lamina.layers.face import every
from lamina.memory import Memory
from lamina.paging.showing import note_shown
from lamina.sealing import scrub
from lamina.signatures import About
from lamina.surfaces.mcp.here import Here
from lamina.surfaces.mcp.shapes import ANYTHING, TEXT, list_of, object_of
from lamina.surfaces.mcp.tool import Plan

_KIND: Final = "memory"
_ABOUT: Final[tuple[str, ...]] = ("user_id", "agent_id", "run_id", "app_id")
_MOST: Final = 1_000
_BATCH: Final = 500
_COMPARES: Final = {"gt": "$gt", "gte": "$gte", "lt": "$lt", "lte": "$lte", "in": "$in",
                    "ne": "$ne", "eq": "$eq"}  # fmt: skip
_TIMES: Final = ("created_at", "updated_at")
_Filters = Annotated[dict[str, Any], About('As {"AND": [{"user_id": "ann"}]}.')]
_Id = Annotated[str, About("The id of the memory.")]


def add_memory(
    here: Here,
    text: str = "",
    messages: list[dict[str, Any]] | None = None,
    metadata: dict[str, Any] | None = None,
    **who: Any,
) -> dict[str, Any]:
    """Save a preference, fact or conversation to long-term memory."""
    data: dict[str, Any] = _about(who)
    if metadata:
        data["metadata"] = metadata
    said: list[tuple[str, dict[str, Any]]] = [(text, {})] if text else []
    said += [_message(one) for one in messages or ()]
    if not said:
        raise InvalidInputError("`text` is empty", remedy="Give `text` or `messages`")
    receipt = here.memory.remember_many(
        {"text": words, "kind": _KIND, "data": {**data, **more}} for words, more in said
    )
    done = zip(receipt.outcomes, said, strict=True)
    return {
        "results": [
            {"id": one.id, "memory": scrub(words), "event": _event(one.action.value)}
            for one, (words, _) in done
        ]
    }


def search_memories(
    here: Here,
    query: Annotated[str, About("What to look for.")],
    filters: _Filters | None = None,
    limit: Annotated[int, About("", at_most=100)] = 10,
) -> dict[str, Any]:
    """Search memories by meaning; use it before you answer about a user or earlier work."""
    found = here.memory.recall(query, k=limit, where=_where(filters)).hits
    return {"results": [{**_shown(here.memory, one.record), "score": one.score} for one in found]}


def get_memories(
    here: Here,
    filters: _Filters | None = None,
    page: Annotated[int, About("", at_most=1_000)] = 1,
    page_size: Annotated[int, About("", at_most=100)] = 50,
) -> dict[str, Any]:
    """List memories, newest first."""
    wanted = min(page * page_size, _MOST)
    found = here.memory.query(_where(filters), limit=wanted)[(page - 1) * page_size :]
    return {"results": [_shown(here.memory, one) for one in found]}


def get_memory(here: Here, memory_id: _Id) -> dict[str, Any]:
    """Get one memory by its id."""
    return _shown(here.memory, _of(here.memory, memory_id))


def update_memory(
    here: Here, memory_id: _Id, text: Annotated[str, About("Its new words.")]
) -> dict[str, Any]:
    """Give a memory new words."""
    here.memory.edit(_of(here.memory, memory_id).id, text)
    return {"message": "Memory updated successfully!"}


def delete_memory(here: Here, memory_id: _Id) -> dict[str, Any]:
    """Delete one memory; its owner can undo it."""
    here.memory.forget(_of(here.memory, memory_id).id)
    return {"message": "Memory deleted successfully!"}


def delete_all_memories(here: Here, **who: Any) -> dict[str, Any]:
    """Delete every memory about a user, agent or run; one of them must be named."""
    named = {f"data.{name}": value for name, value in _about(who).items()}
    if not named:
        raise InvalidInputError(
            "nothing says whose memories are to go", remedy="Name user_id, agent_id or run_id"
        )
    where = {"layer": "knowledge", "scope": here.memory.scope.path, "kind": _KIND, **named}
    found = [one.id for one in every(here.memory, where)]
    for begin in range(0, len(found), _BATCH):
        here.memory.forget(*found[begin : begin + _BATCH])
        here.progress(min(begin + _BATCH, len(found)), len(found))
    return {"message": "Memories deleted successfully!"}


def _about(who: dict[str, Any]) -> dict[str, Any]:
    """Whom a call is about, of those that may be named."""
    for name, value in who.items():
        if name not in _ABOUT or not (value is None or isinstance(value, str)):
            raise InvalidInputError(
                f"`{name:.40}` is not known or no text", remedy=f"Use {', '.join(_ABOUT)}"
            )
    return {name: value for name, value in who.items() if value}


def _message(given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    words, role = given.get("content"), given.get("role", "user")
    if not isinstance(words, str) or not isinstance(role, str):
        raise InvalidInputError("`messages` must have `role` and `content` as text, each of them")
    return words, {"role": role}


def _event(action: str) -> str:
    return {"created": "ADD", "revised": "UPDATE"}.get(action, "NONE")


def _of(memory: Memory, memory_id: str) -> Record:
    """A memory of this profile; any other is none of its business."""
    found = memory.get(memory_id)
    if (found.layer, found.kind, found.state) != ("knowledge", _KIND, State.CURRENT):
        raise NotFoundError(f"there is no memory {memory_id!r:.60}")
    return found


def _shown(memory: Memory, record: Record) -> dict[str, Any]:
    note_shown(memory, record)
    about = {name: record.data[name] for name in _ABOUT if name in record.data}
    return {
        "id": record.id,
        "memory": hidden(record.text),
        "metadata": record.data.get("metadata"),
        "created_at": to_text(record.created_at),
        "updated_at": to_text(record.updated_at),
        **about,
    }


def _where(filters: dict[str, Any] | None) -> Filter:
    """A filter of theirs as one of ours: everything in it must hold."""
    found = parse({"layer": "knowledge", "kind": _KIND})
    for name, value in _conditions(filters or {}):
        found &= parse({name: value})
    if len(found.conditions) > MAX_CONDITIONS:
        raise InvalidInputError(f"`filters` says more than {MAX_CONDITIONS} things")
    return found


def _conditions(filters: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """What a filter says of the fields of ours, one by one: of a field there may be several."""
    for name, value in filters.items():
        if name == "AND" and isinstance(value, list) and all(isinstance(o, dict) for o in value):
            for one in value:
                yield from _conditions(one)
        elif name in _ABOUT:
            yield f"data.{name}", {"$ne": None} if value == "*" else _compared(value)
        elif name in _TIMES:
            yield name, _compared(value)
        elif name == "metadata" and isinstance(value, dict):
            yield from ((f"data.metadata.{one}", _compared(what)) for one, what in value.items())
        else:
            raise InvalidInputError(
                f"`filters` cannot say {name!r:.40}",
                remedy=f"Use AND, {', '.join((*_ABOUT, *_TIMES))} or metadata",
            )


def _compared(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {_COMPARES.get(name, f"${name}"): what for name, what in value.items()}


_RESULTS: Final = object_of(results=list_of(ANYTHING))
_MESSAGE: Final = object_of(message=TEXT)
_AS_ID: Final = {"id": "memory_id"}
_WHO: Final = dict.fromkeys(_ABOUT, TEXT)
_ADDED: Final = {
    "text": {**TEXT, "description": "What to remember."},
    "messages": {**list_of(object_of(role=TEXT, content=TEXT)), "description": "Or messages."},
    **_WHO,
    "metadata": ANYTHING,
}
TOOLS: Final = (
    Plan(add_memory, "Add memory", Permission.WRITE, _RESULTS,
         aliases={"content": "text", "memory": "text"},
         schema={"type": "object", "properties": _ADDED}),
    Plan(search_memories, "Search memories", Permission.READ, _RESULTS,
         aliases={"q": "query", "top_k": "limit", "k": "limit"}),
    Plan(get_memories, "Get memories", Permission.READ, _RESULTS, aliases={"limit": "page_size"}),
    Plan(get_memory, "Get memory", Permission.READ, object_of(id=TEXT, memory=TEXT),
         aliases=_AS_ID),
    Plan(update_memory, "Update memory", Permission.WRITE, _MESSAGE, destructive=True,
         idempotent=True, aliases=_AS_ID | {"memory": "text", "data": "text"}),
    Plan(delete_memory, "Delete memory", Permission.WRITE, _MESSAGE, destructive=True,
         aliases=_AS_ID),
    Plan(delete_all_memories, "Delete all memories", Permission.WRITE, _MESSAGE,
         destructive=True, idempotent=True,
         schema={"type": "object", "properties": _WHO}),
)  # fmt: skip
