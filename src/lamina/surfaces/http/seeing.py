"""Which part of the store a request is about: the caller's own, a project of it, or an agent's."""

from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Query, Request

from lamina.core.names import check_name
from lamina.core.principal import Role
from lamina.core.scope import Scope
from lamina.errors import ForbiddenError
from lamina.memory import Memory
from lamina.surfaces.http.routing import Called, Caller, engine_of

Project = Annotated[
    str | None, Query(description="The project; the caller's own unless given.", examples=["web"])
]
Agent = Annotated[
    str | None, Query(description="Act as this agent, for those who may.", examples=["finn"])
]


def in_project(request: Request, caller: Caller, project: str | None) -> Memory:
    """The store as the caller sees it, confined to a project.

    Raises:
        ForbiddenError: The caller belongs somewhere else.
    """
    if project is None:
        return caller.memory
    root = Scope.of(f"project/{check_name(project, 'project')}")
    mine = caller.principal.root
    if mine == root:
        return caller.memory
    if mine is not None:
        raise ForbiddenError(
            f"this handle does not see `{root}`", remedy="Open one that does, or ask its owner"
        )
    return engine_of(request).handle(replace(caller.principal, root=root))


def as_agent(memory: Memory, agent: str | None) -> Memory:
    """The store as an agent sees it, for an admin, and for the agent itself.

    Raises:
        ForbiddenError: The caller is neither.
    """
    if agent is None:
        return memory
    mine = memory.principal
    if mine.role is Role.AGENT and mine.name == agent:
        return memory
    return memory.agent(agent)


async def _seen(
    request: Request, caller: Called, project: Project = None, agent: Agent = None
) -> Memory:
    return as_agent(in_project(request, caller, project), agent)


async def _seen_project(request: Request, caller: Called, project: Project = None) -> Memory:
    return in_project(request, caller, project)


Seen = Annotated[Memory, Depends(_seen)]
"""The store as the request means it: `?project=` and `?agent=` narrow what the caller sees."""
SeenProject = Annotated[Memory, Depends(_seen_project)]
"""The same for what belongs to nobody in particular: `?project=` alone."""
