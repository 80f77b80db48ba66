"""Who may see and do what, as two tables: roles by scopes by layers.

The tables spell out the access matrix of the four-layer design (working memory is the agent's own;
all agents read knowledge, episodes and artifacts; the acting agent and the orchestrator write) and
that of the file-based design (an admin reads and writes all; a project's agent reads its own and
`global` and writes its own; a skill sees nothing by itself and writes nothing).
"""

from dataclasses import replace

import pytest

from lamina.core.access import (
    check_change,
    check_removal,
    check_settle,
    check_write,
    may_name_source,
    may_reveal,
    may_write,
    reach,
    waits_for_review,
)
from lamina.core.principal import Principal, Role, Surface, check_role
from lamina.core.record import Trust
from lamina.core.scope import Scope
from lamina.errors import ForbiddenError, InvalidInputError
from lamina.testing.builders import a_record

LAYERS = {
    "working", "now", "fact", "blackboard", "session", "log", "notebook", "episode", "knowledge",
    "artifact", "item", "source", "task", "archive",
}  # fmt: skip
SHARED = {"knowledge", "episode", "artifact", "blackboard", "item", "source", "task", "fact"}
MINE = LAYERS - {"item", "source"}
"""What people and agents write; the other two belong to extraction and indexing."""
COMMON = {"knowledge", "episode", "artifact", "blackboard", "task"}
NOTHING: set[str] = set()

WEB = Scope.of("project/web")
WHO = {
    "admin": Principal(),
    "admin of web": Principal("ada", Role.ADMIN, WEB),
    "orchestrator": Principal("otto", Role.ORCHESTRATOR, WEB),
    "finn": Principal("finn", Role.AGENT, WEB),
    "lone finn": Principal("finn", Role.AGENT, Scope.of("agent/finn")),
    "reader": Principal("rita", Role.READER, WEB),
    "skill": Principal("sam", Role.SKILL, WEB),
}
SCOPES = (
    "global", "global/task/t", "project/web", "project/web/task/t", "project/web/session/s",
    "project/web/agent/finn", "project/web/agent/finn/task/t", "project/web/agent/gina",
    "project/web/agent/finn2", "project/web2", "project/other", "user/ann", "agent/finn",
)  # fmt: skip

READS: dict[str, tuple[set[str], ...]] = {
    "admin": (LAYERS,) * len(SCOPES),
    "admin of web": (
        SHARED, NOTHING, LAYERS, LAYERS, LAYERS, LAYERS, LAYERS, LAYERS, LAYERS,
        NOTHING, NOTHING, NOTHING, NOTHING,
    ),
    "orchestrator": (
        SHARED, NOTHING, *(LAYERS - {"working"},) * 7, NOTHING, NOTHING, NOTHING, NOTHING,
    ),
    "finn": (
        SHARED, NOTHING, SHARED, SHARED, NOTHING, LAYERS, LAYERS, NOTHING,
        NOTHING, NOTHING, NOTHING, NOTHING, NOTHING,
    ),
    "lone finn": (
        SHARED, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING,
        NOTHING, NOTHING, NOTHING, NOTHING, LAYERS,
    ),
    "reader": (
        SHARED, NOTHING, *(SHARED,) * 7, NOTHING, NOTHING, NOTHING, NOTHING,
    ),
    "skill": (NOTHING,) * len(SCOPES),
}  # fmt: skip
WRITES: dict[str, tuple[set[str], ...]] = {
    "admin": (MINE,) * len(SCOPES),
    "admin of web": (NOTHING, NOTHING, *(MINE,) * 7, NOTHING, NOTHING, NOTHING, NOTHING),
    "orchestrator": (
        NOTHING, NOTHING, *(MINE - {"working"},) * 7, NOTHING, NOTHING, NOTHING, NOTHING,
    ),
    "finn": (
        NOTHING, NOTHING, COMMON, COMMON, NOTHING, MINE, MINE, NOTHING,
        NOTHING, NOTHING, NOTHING, NOTHING, NOTHING,
    ),
    "lone finn": (*(NOTHING,) * 12, MINE),
    "reader": (NOTHING,) * len(SCOPES),
    "skill": (NOTHING,) * len(SCOPES),
}  # fmt: skip


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("scope", SCOPES)
def test_the_matrix_of_reading(who: str, scope: str) -> None:
    sight = reach(WHO[who])
    seen = {layer for layer in LAYERS if sight.sees(a_record(scope=scope, layer=layer))}
    assert seen == READS[who][SCOPES.index(scope)]


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("scope", SCOPES)
def test_the_matrix_of_writing(who: str, scope: str) -> None:
    place = Scope.of(scope)
    written = {layer for layer in LAYERS if may_write(WHO[who], place, layer)}
    assert written == WRITES[who][SCOPES.index(scope)]
    for layer in LAYERS - written:
        with pytest.raises(ForbiddenError) as caught:
            check_write(WHO[who], place, layer)
        assert caught.value.remedy


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("scope", SCOPES)
def test_what_may_be_written_can_be_seen(who: str, scope: str) -> None:
    for layer in WRITES[who][SCOPES.index(scope)]:
        assert layer in READS[who][SCOPES.index(scope)]


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("scope", SCOPES)
def test_extraction_writes_its_layers_where_its_role_may_write(who: str, scope: str) -> None:
    person = WHO[who]
    pipeline = Principal(person.name, person.role, person.root, Surface.PIPELINE)
    # Where the role may write everything that is its own, and nowhere else.
    expected = WRITES[who][SCOPES.index(scope)] >= MINE - {"working"}
    for layer in ("item", "source"):
        assert may_write(pipeline, Scope.of(scope), layer) is expected


def test_a_reach_can_be_narrowed_and_never_widened() -> None:
    for who in WHO.values():
        whole = reach(who)
        for inner in SCOPES:
            part = whole.within(Scope.of(inner))
            for scope in SCOPES:
                for layer in sorted(LAYERS):
                    record = a_record(scope=scope, layer=layer)
                    inside = scope == inner or scope.startswith(f"{inner}/")
                    assert part.sees(record) == (whole.sees(record) and inside)


@pytest.mark.parametrize("who", WHO)
def test_the_streams_of_a_reach_are_those_it_sees_into(who: str) -> None:
    sight = reach(WHO[who])
    streams = frozenset(
        Scope.of(scope).stream for scope, layers in zip(SCOPES, READS[who], strict=True) if layers
    )
    assert sight.streams() is None or sight.streams() == streams
    assert (sight.streams() is None) == (who == "admin")


@pytest.mark.parametrize("layer", ["episode", "artifact"])
def test_only_the_producer_or_the_orchestrator_changes_what_was_done(layer: str) -> None:
    record = a_record(scope="project/web", layer=layer, source="gina", trust=Trust.AGENT)
    check_change(WHO["orchestrator"], record)
    check_change(WHO["admin"], record)
    check_change(Principal("gina", Role.AGENT, WEB), record)
    with pytest.raises(ForbiddenError):
        check_change(WHO["finn"], record)
    with pytest.raises(ForbiddenError):
        check_change(Principal("gina", Role.AGENT, WEB), replace(record, trust=Trust.USER))


def test_what_others_said_in_common_an_agent_cannot_take_away() -> None:
    for layer in ("knowledge", "episode", "artifact"):
        own = a_record(scope="project/web", layer=layer, source="finn", trust=Trust.AGENT)
        check_removal(WHO["finn"], own)
        check_removal(WHO["orchestrator"], own)
        for other in (replace(own, source="gina"), replace(own, trust=Trust.USER)):
            with pytest.raises(ForbiddenError):
                check_removal(WHO["finn"], other)
    check_removal(WHO["finn"], a_record(scope="project/web/agent/finn", source="gina"))


def test_only_arbiters_settle_proposals() -> None:
    check_settle(WHO["orchestrator"], a_record())
    with pytest.raises(ForbiddenError):
        check_settle(WHO["finn"], a_record())


def test_agents_may_revise_what_is_common() -> None:
    for layer in sorted(COMMON - {"episode", "artifact"}):
        check_change(WHO["finn"], a_record(scope="project/web", layer=layer, source="gina"))
    with pytest.raises(ForbiddenError):
        check_change(WHO["finn"], a_record(scope="global", layer="knowledge"))


def test_an_agents_project_knowledge_waits_when_it_is_reviewed() -> None:
    assert waits_for_review(WHO["finn"], WEB, "knowledge")
    assert not waits_for_review(WHO["finn"], Scope.of("project/web/agent/finn"), "knowledge")
    assert not waits_for_review(WHO["finn"], WEB, "blackboard")
    for arbiter in ("admin", "orchestrator"):
        assert not waits_for_review(WHO[arbiter], WEB, "knowledge")


@pytest.mark.parametrize(
    ("who", "scope", "source", "expected"),
    [
        ("admin", "project/web", "gina", True), ("orchestrator", "project/web", "gina", True),
        ("admin of web", "project/web/agent/finn", "finn", True),
        ("admin of web", "global", "gina", False), ("orchestrator", "global", "gina", False),
        ("finn", "project/web/agent/finn", "gina", True), ("finn", "project/web", "finn", False),
        ("finn", "project/web", "gina", False), ("reader", "project/web", "rita", False),
        ("skill", "project/web", "sam", False),
    ],
)  # fmt: skip
def test_who_may_read_a_sealed_value(who: str, scope: str, source: str, expected: bool) -> None:
    assert may_reveal(WHO[who], a_record(scope=scope, source=source)) is expected


def test_only_arbiters_speak_for_others() -> None:
    assert {who for who, person in WHO.items() if may_name_source(person)} == {
        "admin", "admin of web", "orchestrator",
    }  # fmt: skip


def test_an_agent_is_bound_to_a_root() -> None:
    with pytest.raises(InvalidInputError):
        Principal("finn", Role.AGENT)
    for name in ("Finn", "", "a/b", "finn\n"):
        with pytest.raises(InvalidInputError):
            Principal(name)


def test_a_role_is_one_of_those_there_are() -> None:
    assert [check_role(role) for role in Role] == list(Role)
    for role in ("root", "", None, 1, "Admin"):
        with pytest.raises(InvalidInputError, match="orchestrator"):
            check_role(role)


def test_identities_tell_principals_apart() -> None:
    identities = {person.identity for person in WHO.values()}
    assert len(identities) == len(WHO)
