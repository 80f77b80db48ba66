"""What to put before a model."""

from typing import Any, Literal

from pydantic import Field

from lamina.core.permissions import Permission
from lamina.surfaces.http import layer_shapes
from lamina.surfaces.http.routing import Routes
from lamina.surfaces.http.seeing import Seen
from lamina.surfaces.http.shapes import Body
from lamina.surfaces.wire_layers import context_out

ROUTES = Routes(tag="context")


class Wanted(Body):
    """What the context is for, and how much room it has."""

    query: str = Field("", description="What is asked; empty for hot state alone.")
    budget: int | None = Field(None, description="Tokens, marks included.", examples=[4_000])
    split: str | dict[str, float] | None = Field(
        None, description="Shares of task, project and global.", examples=["40/40/20"]
    )
    task: str | None = None
    session: str | None = None
    layers: list[str] | None = None
    hot: bool | None = None
    empty: bool | None = None
    form: Literal["text", "blocks"] | None = None
    now: str | None = None


@ROUTES.add("POST", "/api/context", Permission.READ, answers=layer_shapes.Context)
def assemble(memory: Seen, body: Wanted) -> dict[str, Any]:
    """Hot state and what is relevant, within a budget of tokens, fenced and labelled."""
    options: Any = body.model_dump(exclude={"query"}, exclude_none=True)
    return context_out(memory.context(body.query, **options))
