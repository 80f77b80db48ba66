"""One search over everything: what is remembered, what files say, and what was said."""

from typing import Annotated, Any, Final, Literal

from fastapi import Query, Request
from pydantic import Field

from lamina.core.canonical import loads
from lamina.core.layers import LAYERS
from lamina.core.permissions import Permission
from lamina.errors import InvalidInputError
from lamina.surfaces import wire
from lamina.surfaces.http import shapes
from lamina.surfaces.http.pulse import Part
from lamina.surfaces.http.routing import Routes, engine_of
from lamina.surfaces.http.seeing import Seen
from lamina.surfaces.http.shapes import Body, Object, Question
from lamina.surfaces.wire_marks import marks_out

ROUTES = Routes(tag="search")
_VECTORS: Final = "vectors:"
"""How it begins what a search says of them."""
Place = Literal["memory", "items", "sessions", "sources"]
Mode = Literal["hybrid", "keyword"]
_ITEMS, _SESSIONS, _SOURCES = ("item",), ("session",), ("source",)
_LAYERS: Final[dict[str, tuple[str, ...]]] = {
    "memory": tuple(one.name for one in LAYERS.values()
                    if one.recalled and one.name not in (*_ITEMS, *_SOURCES)),
    "items": _ITEMS,
    "sessions": _SESSIONS,
    "sources": _SOURCES,
}  # fmt: skip
_IN: Final = "Where to look; all but `sessions` unless given."


class Search(Body):
    """What is looked for, where, and how."""

    query: str = Field(examples=["where do sessions live"])
    places: list[Place] | None = Field(None, alias="in", description=_IN, min_length=1)
    layers: list[str] | None = Field(None, description="The same by layer.", min_length=1)
    mode: Mode | None = Field(None, description="Words and meaning, or words alone.")
    weights: dict[str, float] | None = Field(
        None,
        description="How much signals count, by the names in `parts`: 1 is usual, 0 is not at all.",
        examples=[{"meaning": 0.5}],
    )
    k: int | None = Field(None, ge=1, le=1_000, description="So many; at most 10 unless given.")
    floor: float | None = Field(None, ge=0, le=1)
    diversity: float | None = Field(None, ge=0, le=1)
    budget: int | None = Field(None, ge=1, description="Tokens that the hits may have together.")
    where: Object | None = Field(None, description="A filter that hits must pass.")
    scope: str | None = None
    as_of: str | None = None
    now: str | None = Field(None, description="What `yesterday` is read against.")
    explain: bool = Field(True, description="Whether each hit says what its score is made of.")
    marks: bool = Field(False, description="Whether each hit says where its words matched.")
    tentative: bool = Field(
        False, description="Only tried, as while somebody types: nothing of it counts as used."
    )

    def how(self) -> Any:
        """What the library is told beside the question."""
        names = ("k", "floor", "diversity", "budget", "where", "scope", "as_of", "now", "weights")
        said = {name: one for name in names if (one := getattr(self, name)) is not None}
        said["tentative"] = self.tentative
        if self.mode is not None:
            said["provider"] = self.mode
        if self.places is not None and self.layers is not None:
            raise InvalidInputError("`in` and `layers` say the same", remedy="Send one of them")
        layers = layers_of(self.places) if self.places is not None else self.layers
        return said if layers is None else {**said, "layers": layers}


class WhyNot(Search):
    """A search, and the record that is missed in it."""

    name: str = Field(description="The record that was expected, by id or key.")


class Asked(Question):
    """The same in an address."""

    q: str = Field(description="What is looked for.", examples=["where do sessions live"])
    places: str | None = Field(None, alias="in", description=_IN + " With commas between.")
    mode: Mode | None = None
    weights: str | None = Field(None, description='As JSON: {"meaning": 0.5}.')
    k: int | None = Field(None, ge=1, le=1_000)
    scope: str | None = None
    as_of: str | None = None
    explain: bool = True


@ROUTES.add("POST", "/api/search", Permission.READ, answers=shapes.Recall)
def search(request: Request, memory: Seen, body: Search) -> dict[str, Any]:
    """Search, best first; where nothing is relevant, nothing comes back."""
    return _found(request, memory, body)


@ROUTES.add("GET", "/api/search", Permission.READ, answers=shapes.Recall)
def search_by_address(
    request: Request, memory: Seen, asked: Annotated[Asked, Query()]
) -> dict[str, Any]:
    """The same search for who has only an address."""
    said = asked.model_dump(exclude_none=True, exclude={"q", "places", "weights"})
    if asked.places is not None:
        said["in"] = asked.places.split(",")
        layers_of(said["in"])
    if asked.weights is not None:
        said["weights"] = _weights(asked.weights)
    return _found(request, memory, Search(query=asked.q, **said))


@ROUTES.add("POST", "/api/why-not", Permission.READ, answers=shapes.WhyNot)
def why_not(memory: Seen, body: WhyNot) -> dict[str, Any]:
    """What kept a record out of a search, asked with the words and options of that search."""
    return wire.why_not_out(memory.why_not(body.name, body.query, **body.how()))


def layers_of(places: list[Any]) -> list[str]:
    """The layers that are meant by places."""
    for place in places:
        if place not in _LAYERS:
            raise InvalidInputError(
                f"`in` names a place that is not known: {place!r:.40}",
                remedy=f"Use some of: {', '.join(_LAYERS)}",
            )
    return [layer for place in dict.fromkeys(places) for layer in _LAYERS[place]]


def _found(request: Request, memory: Seen, asked: Search) -> dict[str, Any]:
    found = memory.recall(asked.query, **asked.how())
    if asked.mode != "keyword":
        _note_embedding(request, found.degraded)
    told = wire.recall_out(found)
    if not asked.explain:
        told["hits"] = [{**hit, "parts": {}} for hit in told["hits"]]
    if asked.marks:
        pairs = zip(told["hits"], found.hits, strict=True)
        told["hits"] = [{**hit, "marks": marks_out(one)} for hit, one in pairs]
    return told


def _note_embedding(request: Request, degraded: tuple[str, ...]) -> None:
    """Whether meaning took part in a search is the truest sign of an embedder's health."""
    pulse = engine_of(request).pulse
    # What else a search had to do without is told of other parts.
    if of_vectors := [one for one in degraded if one.startswith(_VECTORS)]:
        pulse.failed(Part.EMBED, of_vectors[0])
    else:
        pulse.worked(Part.EMBED)


def _weights(text: str) -> dict[str, float]:
    found = loads(text, "weights")
    numbers = found.values() if isinstance(found, dict) else [None]
    if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers):
        raise InvalidInputError("`weights` must be an object of numbers")
    return {name: float(one) for name, one in found.items()}
