"""Only the pipeline writes items: every role through every door is tried."""

from itertools import product
from pathlib import Path

import pytest

from lamina import Memory
from lamina.core.access import may_write
from lamina.core.principal import Principal, Role, Surface
from lamina.core.scope import Scope
from lamina.errors import ForbiddenError, NotFoundError

WEB = Scope.of("project/web")
FILLERS = (Surface.PIPELINE, Surface.IMPORT)
REFUSED = (ForbiddenError, NotFoundError)
WRITERS = (Role.ADMIN, Role.ORCHESTRATOR)


@pytest.mark.parametrize(("role", "surface"), [*product(Role, Surface)])
def test_a_role_writes_items_through_the_pipeline_or_not_at_all(
    role: Role, surface: Surface
) -> None:
    speaker = Principal("finn", role, WEB, surface)
    expected = role in WRITERS and surface in FILLERS
    assert may_write(speaker, WEB, "item") is expected


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.ADMIN])
def test_only_an_admin_extracts(project: Memory, root: Path, role: Role) -> None:
    actor = project.agent("finn", project="web", role=role.value)
    with pytest.raises(ForbiddenError):
        actor.item.extract(root)
    assert project.item.query() == []


@pytest.mark.parametrize("role", list(Role))
def test_nobody_writes_an_item_by_hand(project: Memory, root: Path, role: Role) -> None:
    project.item.extract(root)
    [item] = project.item.query(type="decision")
    actor = project.agent("finn", project="web", role=role.value)
    with pytest.raises(ForbiddenError):
        actor.remember("We chose it.", layer="item", kind="decision", scope="project/web")
    with pytest.raises(REFUSED):
        actor.edit(item.id, "We chose another.")
    assert project.get(item.id) == item


@pytest.mark.parametrize("role", list(Role))
def test_who_may_take_an_item_out(project: Memory, root: Path, role: Role) -> None:
    project.item.extract(root)
    [item] = project.item.query(type="decision")
    actor = project.agent("finn", project="web", role=role.value)
    if role in WRITERS:
        actor.item.remove(item.id)
        assert project.item.query(type="decision") == []
    else:
        with pytest.raises(REFUSED):
            actor.item.remove(item.id)
        assert project.get(item.id) == item


def test_agents_read_the_items_of_their_project_alone(project: Memory, root: Path) -> None:
    project.item.extract(root)
    agent = project.agent("finn", project="web")
    assert len(agent.item.query()) == 5
    assert agent.item.query(text="SQLite", type="decision")
