"""The blackboard: signals by key, and what was declared about them."""

from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import Field

from lamina.core.permissions import Permission
from lamina.errors import NotFoundError
from lamina.layers.schemas import Schema
from lamina.surfaces import wire
from lamina.surfaces.http import layer_shapes, shapes
from lamina.surfaces.http.routing import Routes
from lamina.surfaces.http.seeing import Seen
from lamina.surfaces.http.shapes import Body, Question
from lamina.surfaces.wire_layers import published_out, signal_out

ROUTES = Routes(tag="blackboard")
Key = Annotated[str, Path(description="As `task:t-7:status`.", examples=["task:t-7:status"])]


class Wanted(Question):
    """Which signals are listed."""

    prefix: str = Field("", description="How their keys begin.")
    limit: int = Field(1_000, ge=1, le=10_000)


class Signal(Body):
    """What is to stand on the board."""

    value: Any = Field(description="Any JSON.", examples=["done"])
    ttl: str | None = Field(None, description="How long it stands, as 30s.")
    expect: int | None = Field(None, description="The revision that must stand there; 0 for none.")
    strict: bool = Field(False, description="Whether what departs from a schema is refused.")


class Declared(Body):
    """The keys of a namespace, each with the type of its value."""

    keys: dict[str, str] = Field(examples=[{"task:{id}:status": "text"}])


@ROUTES.add("GET", "/api/blackboard", Permission.READ, answers=layer_shapes.Signals)
def list_signals(memory: Seen, asked: Annotated[Wanted, Query()]) -> dict[str, Any]:
    """What stands under the keys that begin so."""
    found = memory.blackboard.list(asked.prefix, limit=asked.limit)
    return {"signals": [signal_out(one) for one in found.values()]}


@ROUTES.add(
    "GET", "/api/blackboard/signals/{key:path}", Permission.READ, answers=layer_shapes.Signal
)
def read_signal(memory: Seen, key: Key) -> dict[str, Any]:
    """What stands under a key now."""
    found = memory.blackboard.read(key)
    if found is None:
        raise NotFoundError(f"nothing stands under the key {key!r:.80}")
    return signal_out(found)


@ROUTES.add(
    "PUT", "/api/blackboard/signals/{key:path}", Permission.WRITE, answers=layer_shapes.Published
)
def publish(memory: Seen, key: Key, body: Signal) -> dict[str, Any]:
    """Put a value on the board, in place of what stood there."""
    done = memory.blackboard.publish(
        key, body.value, ttl=body.ttl, expect=body.expect, strict=body.strict
    )
    return published_out(done)


@ROUTES.add("DELETE", "/api/blackboard/signals/{key:path}", Permission.WRITE,
            answers=shapes.Receipt)  # fmt: skip
def clear(memory: Seen, key: Key) -> dict[str, Any]:
    """Take a signal off the board; its history stays."""
    return wire.receipt_out(memory.blackboard.clear(key))


@ROUTES.add("GET", "/api/blackboard/schemas", Permission.READ, answers=layer_shapes.Schemas)
def list_schemas(memory: Seen) -> dict[str, Any]:
    """What was declared about keys, by namespace."""
    return {"schemas": {name: dict(one.keys) for name, one in memory.blackboard.schemas().items()}}


@ROUTES.add("PUT", "/api/blackboard/schemas/{namespace:path}", Permission.WRITE,
            answers=shapes.Receipt)  # fmt: skip
def declare(
    memory: Seen,
    namespace: Annotated[str, Path(description="How its keys begin.", examples=["task:"])],
    body: Declared,
) -> dict[str, Any]:
    """Say which keys belong in a namespace and what they hold, so that drift is noticed."""
    return wire.receipt_out(memory.blackboard.declare(namespace, Schema(body.keys)))
