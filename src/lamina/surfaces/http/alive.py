"""Whether the server is there at all, for whoever starts and watches it."""

from typing import Any

from lamina.core.permissions import Permission
from lamina.surfaces.http.routing import Routes

ROUTES = Routes(tag="server")


@ROUTES.add("GET", "/healthz", Permission.ANYONE)
def is_alive() -> dict[str, Any]:
    """The server answers; `/api/health` tells more to those who may know."""
    return {"status": "ok"}
