"""The settings of the store."""

from typing import Annotated, Any

from fastapi import Path
from pydantic import Field

from lamina.core.permissions import Permission
from lamina.core.settings import SETTINGS, setting_named
from lamina.surfaces.http import layer_shapes
from lamina.surfaces.http.routing import Called, Routes
from lamina.surfaces.http.shapes import Body
from lamina.surfaces.wire_settings import setting_out

ROUTES = Routes(tag="settings")


class Chosen(Body):
    """What a setting is to be; null goes back to the default."""

    value: str | None = Field(examples=["hybrid"])


@ROUTES.add("GET", "/api/settings", Permission.READ, answers=layer_shapes.Settings)
def list_settings(caller: Called) -> dict[str, Any]:
    """Every setting with what holds in this server, and what else it could be."""
    holds = caller.memory.settings()
    return {"settings": [setting_out(one, holds[one.name]) for one in SETTINGS.values()]}


@ROUTES.add("PUT", "/api/settings/{name}", Permission.ADMIN, answers=layer_shapes.Setting)
def change_setting(
    caller: Called,
    name: Annotated[str, Path(description="As `log.tail`.", examples=["log.tail"])],
    body: Chosen,
) -> dict[str, Any]:
    """Choose a setting for everyone on the store."""
    caller.memory.configure(name, body.value)
    return setting_out(setting_named(name), caller.memory.settings()[name])
