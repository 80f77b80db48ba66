"""The application: every route, stream and guard of the server, around one engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import FastAPI

from lamina.surfaces.http import (
    agents,
    alive,
    artifacts,
    auth,
    board,
    changes,
    contexts,
    describing,
    episodes,
    handoffs,
    health,
    knowledge,
    mcp_routes,
    metrics,
    records,
    search,
    sessions,
    settings,
    store_routes,
    streams,
    tasks,
    upkeep,
)
from lamina.surfaces.http.guarding import Guard
from lamina.surfaces.http.problems import answer_with_problems

if TYPE_CHECKING:
    from lamina.surfaces.http.engine import Engine

_ROUTES = (
    streams, alive, auth, records, search, contexts, knowledge, episodes, artifacts, agents,
    sessions, board, tasks, handoffs, upkeep, changes, settings, health, metrics, describing,
    store_routes, mcp_routes,
)  # fmt: skip
"""Every module that declares routes, as `ROUTES`."""


def create_app(engine: Engine) -> FastAPI:
    """The application for a store."""
    app = FastAPI(title="Lamina", version="1", openapi_url=None, docs_url=None, redoc_url=None)
    app.state.engine = engine
    answer_with_problems(app)
    for module in _ROUTES:
        app.include_router(module.ROUTES.router)
    # Added last, so that it stands before everything else.
    app.add_middleware(Guard, engine=engine)
    return app
