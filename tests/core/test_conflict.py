"""Who wins a conflict, as a table: trust, author, confidence, arbiter, and the setting for ties."""

from itertools import product

import pytest

from lamina.core.conflict import wins
from lamina.core.principal import Principal, Role
from lamina.core.record import Content, Trust
from lamina.core.scope import Scope

WEB = Scope.of("project/web")
AGENT = Principal("bob", Role.AGENT, WEB)
ARBITERS = (Principal("otto", Role.ORCHESTRATOR), Principal("ada", Role.ADMIN, WEB))


def _said(trust: Trust = Trust.AGENT, source: str = "ann", confidence: float = 0.5) -> Content:
    return Content(kind="fact", trust=trust, source=source, confidence=confidence)


def test_trust_is_ranked_from_the_web_to_the_user() -> None:
    order = ["web", "tool", "file", "agent", "system", "user"]
    assert [trust.value for trust in sorted(Trust, key=lambda trust: trust.rank)] == order
    assert Trust.lowest(Trust.USER, Trust.WEB, Trust.AGENT) is Trust.WEB


@pytest.mark.parametrize(("new", "old"), list(product(Trust, repeat=2)))
def test_trust_decides_first(new: Trust, old: Trust) -> None:
    if new is old:
        return
    for source, confidence, speaker in product(("ann", "bob"), (0.0, 1.0), (AGENT, *ARBITERS)):
        incoming = _said(new, source, confidence)
        assert wins(incoming, _said(old), speaker, ties_wait=True) == (new.rank > old.rank)


@pytest.mark.parametrize(
    ("incoming", "speaker", "ties_wait", "expected"),
    [
        (_said(confidence=0.1), AGENT, True, True),  # the same author, however unsure
        (_said(source="bob", confidence=0.6), AGENT, True, True),  # surer
        (_said(source="bob", confidence=0.4), AGENT, False, False),  # less sure
        (_said(source="bob", confidence=0.4), ARBITERS[0], False, False),  # an arbiter, less sure
        (_said(source="bob"), AGENT, False, True),  # a tie: the newest
        (_said(source="bob"), AGENT, True, False),  # a tie under review
        (_said(source="bob"), ARBITERS[0], True, True),  # a tie settled by an orchestrator
        (_said(source="bob"), ARBITERS[1], True, True),  # ... or an admin
    ],
)
def test_with_equal_trust(
    incoming: Content, speaker: Principal, ties_wait: bool, expected: bool
) -> None:
    assert wins(incoming, _said(), speaker, ties_wait=ties_wait) is expected


@pytest.mark.parametrize("role", [Role.SKILL, Role.READER])
def test_only_orchestrators_and_admins_are_arbiters(role: Role) -> None:
    speaker = Principal("x", role, WEB)
    assert not wins(_said(source="bob"), _said(), speaker, ties_wait=True)
