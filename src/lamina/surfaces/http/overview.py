"""What there is within sight, how good it is, and what it cost: what a person looks at first."""

from typing import Any, Final

from fastapi import Request

from lamina.core.permissions import Permission
from lamina.core.scope import Scope
from lamina.memory import Memory
from lamina.surfaces import wire_figures as figures
from lamina.surfaces.http import health_shapes
from lamina.surfaces.http.routing import Routes, engine_of
from lamina.surfaces.http.seeing import SeenProject

ROUTES = Routes(tag="server")
_SAID: Final = ("next_steps", "objective")
"""What agents say of themselves, each under its key."""
_MOST_SAID: Final = 1_000


@ROUTES.add("GET", "/api/overview", Permission.READ, answers=health_shapes.Overview)
def overview(request: Request, memory: SeenProject) -> dict[str, Any]:
    """What there is within sight: projects, agents and what they do, and records by layer.

    On a large store it is not counted anew for every change; `again_ms` says when it will be.
    """
    stock = engine_of(request).stock
    found = stock.now(("overview", memory.principal), lambda: _counted(memory))
    return {**found.value, "again_ms": stock.again_ms(found)}


@ROUTES.add("GET", "/api/overview/figures", Permission.READ, answers=health_shapes.Figures)
def read_figures(request: Request, memory: SeenProject) -> dict[str, Any]:
    """Recalls that abstained, knowledge that repeats or has faded, and tokens spent on tasks.

    What takes long is made in the background, is null until then, and says when it was made.
    """
    stock, life = engine_of(request).stock, memory.lifecycle
    whose = memory.principal
    # One after another, so that what takes less comes first.
    spent = stock.soon(("spent", whose), lambda breathe: life.spent(breathe=breathe))
    weighed = stock.soon(("weighed", whose), lambda breathe: life.weigh(breathe=breathe))
    return {
        "recalls": figures.answered_out(memory.recalls.answered()),
        "knowledge": None if weighed is None else figures.weighed_out(weighed.value),
        "spent": None if spent is None else figures.spent_out(spent.value),
        "again_ms": stock.again_ms(weighed, spent),
    }


def _counted(memory: Memory) -> dict[str, Any]:
    lots, projects = memory.census(), _projects(memory)
    said = [one for key in _SAID for one in memory.query({"layer": "now", "key": key},
                                                         limit=_MOST_SAID)]  # fmt: skip
    return {
        **figures.sizes_out(lots),
        "projects": sorted(projects),
        "project_sizes": figures.projects_out(lots, projects),
        "agents": figures.agents_out(lots, said),
        "proposals": sum(one.records for one in memory.census({"state": "proposed"})),
    }


def _projects(memory: Memory) -> set[str]:
    streams = memory.reach.streams()
    found = memory.store.streams() if streams is None else streams
    return {name for one in found if (name := Scope.of(one).part("project"))}
