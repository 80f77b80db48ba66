"""Whether the server is there, and whether it can work, for whoever starts and watches it."""

from typing import Any

from fastapi import Request

from lamina.core.permissions import Permission
from lamina.errors import StoreError, StoreUnavailableError
from lamina.surfaces.http.routing import Routes, engine_of

ROUTES = Routes(tag="server")


@ROUTES.add("GET", "/healthz", Permission.ANYONE)
def is_alive() -> dict[str, Any]:
    """The server answers; `/api/health` tells more to those who may know."""
    return {"status": "ok"}


@ROUTES.add("GET", "/readyz", Permission.ANYONE)
def is_ready(request: Request) -> dict[str, Any]:
    """The store answers too; 503 while it is out of reach, and why is told to its owner alone."""
    try:
        engine_of(request).whole.store.settings()
    except StoreError:
        raise StoreUnavailableError(
            "the store is out of reach", remedy="`/api/health` says why"
        ) from None
    return {"status": "ready"}
