"""What there is to filter by, for who chooses from a list instead of remembering names."""

from collections import Counter
from typing import Annotated, Any, Final

from fastapi import Query
from pydantic import Field

from lamina.core.permissions import Permission
from lamina.surfaces.http import shapes
from lamina.surfaces.http.routing import Routes
from lamina.surfaces.http.seeing import Seen
from lamina.surfaces.http.shapes import Question

ROUTES = Routes(tag="search")
_LOOKED_AT: Final = 1_000
"""How many of the newest records are looked at: a list of names is no reason to read a store."""
_MOST: Final = 100


class Asked(Question):
    """Among what."""

    layer: str | None = Field(None, description="Only in this layer.")


@ROUTES.add("GET", "/api/facets", Permission.READ, answers=shapes.Facets)
def list_facets(memory: Seen, asked: Annotated[Asked, Query()]) -> dict[str, Any]:
    """The kinds, tags, scopes and sources of the newest 1,000 records within sight."""
    where = {} if asked.layer is None else {"layer": asked.layer}
    kinds, tags, scopes, sources = (Counter[str]() for _ in range(4))
    for record in memory.query(where, limit=_LOOKED_AT):
        kinds[record.kind] += 1
        tags.update(record.tags)
        scopes.update(_above(record.scope))
        sources[record.source] += 1
    counted = {"kinds": kinds, "tags": tags, "scopes": scopes, "sources": sources}
    return {name: [one for one, _ in found.most_common(_MOST)] for name, found in counted.items()}


def _above(scope: str) -> list[str]:
    """A scope and those around it, each of which can be searched."""
    parts = scope.split("/")
    first = 1 if parts[0] == "global" else 2
    return ["/".join(parts[:end]) for end in range(first, len(parts) + 1, 2)]
