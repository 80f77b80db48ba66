"""The application: every route, stream and guard of the server, around one engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import FastAPI

from lamina.surfaces.http import (
    alive,
    artifacts,
    episodes,
    knowledge,
    records,
    search,
    store_routes,
    streams,
)
from lamina.surfaces.http.problems import answer_with_problems

if TYPE_CHECKING:
    from lamina.surfaces.http.engine import Engine

_ROUTES = (streams, alive, records, search, knowledge, episodes, artifacts, store_routes)
"""Every module that declares routes, as `ROUTES`."""


def create_app(engine: Engine) -> FastAPI:
    """The application for a store."""
    app = FastAPI(title="Lamina", version="1", docs_url=None, redoc_url=None)
    app.state.engine = engine
    answer_with_problems(app)
    for module in _ROUTES:
        app.include_router(module.ROUTES.router)
    return app
