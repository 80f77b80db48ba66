"""Whether the server is well, told by what it did."""

from contextlib import suppress
from typing import Any

from fastapi import Request

from lamina.core.permissions import Permission
from lamina.errors import LaminaError, StoreError
from lamina.memory import Memory
from lamina.surfaces import wire
from lamina.surfaces.http import health_shapes
from lamina.surfaces.http.engine import Engine
from lamina.surfaces.http.pulse import Part
from lamina.surfaces.http.routing import Called, Routes, engine_of
from lamina.surfaces.wire_figures import durability_out
from lamina.surfaces.wire_layers import instant_out

ROUTES = Routes(tag="server")
_WORST = ("green", "amber", "red")
_OF_OTHERS = {"message": "", "backlog": None, "worked_at": None, "failed_at": None}


@ROUTES.add("GET", "/api/health", Permission.READ, in_outages=True, answers=health_shapes.Health)
def health(request: Request, caller: Called) -> dict[str, Any]:
    """Whether writing, reading and embedding work, and when each last did.

    `red` says that something asked last has failed, `amber` that something waits or is weaker than
    it should be. What is wrong is told in words to the store's owner alone, and when something
    worked as well: that is what others do.
    """
    engine = engine_of(request)
    parts = [_reading(engine), _writing(engine, caller.memory), _embedding(engine)]
    status = max((one["status"] for one in parts), key=_WORST.index)
    if not caller.principal.is_owner:
        parts = [{**one, **_OF_OTHERS} for one in parts]
    return {"status": status, "parts": parts, "durability": durability_out(engine.whole.store)}


@ROUTES.add("POST", "/api/check", Permission.ADMIN, answers=health_shapes.Findings)
def look_over(caller: Called) -> dict[str, Any]:
    """Look over the store and the key to its secrets; it reads everything, and changes nothing."""
    return {"findings": [wire.finding_out(one) for one in caller.memory.check()]}


def _reading(engine: Engine) -> dict[str, Any]:
    """Reading is tried, for it costs nothing."""
    try:
        engine.whole.query(limit=1)
    except LaminaError as error:
        engine.pulse.failed(Part.READ, error.message)
    else:
        engine.pulse.worked(Part.READ)
    return _part(engine, Part.READ)


def _writing(engine: Engine, memory: Memory) -> dict[str, Any]:
    """Writing is told by what was written last within sight, here and by whatever process."""
    last = None
    # That a store cannot be read stands with reading.
    with suppress(StoreError):
        heads = memory.store.position(memory.reach.streams())
        last = max((head.at for head in heads.values() if head.at), default=None)
    return {**_part(engine, Part.WRITE), "store_changed_at": instant_out(last)}


def _embedding(engine: Engine) -> dict[str, Any]:
    """Embedding is told by the vectors that wait, and by searches that had to do without."""
    told = _part(engine, Part.EMBED)
    try:
        vectors = engine.whole.vectors()
    except StoreError:
        return told
    if told["status"] == "green" and (vectors.error or vectors.pending or vectors.refused):
        said = vectors.error or "some texts are found by their words alone for now"
        told |= {"status": "amber", "message": said}
    return {**told, "backlog": wire.vectors_out(vectors)}


def _part(engine: Engine, part: Part) -> dict[str, Any]:
    beat = engine.pulse.beat(part)
    return {
        "part": part.value,
        "status": "red" if beat.is_failing else "green",
        "message": beat.error if beat.is_failing else "",
        "worked_at": instant_out(beat.worked_at),
        "failed_at": instant_out(beat.failed_at),
        "backlog": None,
        "store_changed_at": None,
    }
