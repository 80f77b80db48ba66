"""Which tools a server offers: ours, or those of another server under their own names."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from mcp.server import MCPServer

from lamina.errors import InvalidInputError
from lamina.surfaces.mcp import graph, mem0
from lamina.surfaces.mcp.prompts import add_prompts
from lamina.surfaces.mcp.tool import Plan
from lamina.surfaces.mcp.tools import TOOLS


@dataclass(frozen=True, slots=True)
class Profile:
    """A set of tools, and what goes with them."""

    plans: tuple[Plan, ...]
    add: Callable[[MCPServer[Any]], None] = lambda _: None
    """Adds what else a server of this profile offers."""


PROFILES: Final = {
    "default": Profile(TOOLS, add_prompts),
    "server-memory": Profile(graph.TOOLS, graph.add_resource),
    "mem0": Profile(mem0.TOOLS),
}


def profile_named(name: str) -> Profile:
    """The profile called so."""
    found = PROFILES.get(name)
    if found is None:
        raise InvalidInputError(
            f"`profile` is not one that there is: {name!r:.40}",
            remedy=f"Use one of: {', '.join(PROFILES)}",
        )
    return found
