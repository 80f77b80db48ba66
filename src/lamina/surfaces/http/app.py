"""The application: every route, stream and guard of the server, around one engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

from lamina.surfaces.http import (
    agents,
    alive,
    artifacts,
    auth,
    board,
    changes,
    contexts,
    curating,
    describing,
    entering,
    episodes,
    facets,
    handoffs,
    health,
    knowledge,
    latest,
    mcp_routes,
    metrics,
    overview,
    pages,
    records,
    reviewing,
    search,
    sessions,
    settings,
    store_routes,
    streams,
    tasks,
    transfer,
    upkeep,
)
from lamina.surfaces.http.guarding import Guard
from lamina.surfaces.http.problems import answer_with_problems

if TYPE_CHECKING:
    from lamina.surfaces.http.engine import Engine

_ROUTES = (
    streams, alive, auth, curating, records, search, contexts, knowledge, episodes, artifacts,
    agents, sessions, board, tasks, handoffs, upkeep, reviewing, changes, settings, health,
    overview, metrics, describing, store_routes, mcp_routes, entering, latest, facets, transfer,
    pages,
)  # fmt: skip
"""Every module that declares routes, as `ROUTES`."""


def create_app(engine: Engine) -> FastAPI:
    """The application for a store."""
    app = _routed()
    app.state.engine = engine
    answer_with_problems(app)
    # Added last, so that it stands before everything else.
    app.add_middleware(Guard, engine=engine)
    return app


def describe() -> dict[str, Any]:
    """What every server can be asked and answers, without one."""
    return _routed().openapi()


def _routed() -> FastAPI:
    app = FastAPI(title="Lamina", version="1", openapi_url=None, docs_url=None, redoc_url=None)
    for module in _ROUTES:
        app.include_router(module.ROUTES.router)
    return app
