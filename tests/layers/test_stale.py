"""What has faded is proposed, with reasons; it goes only when somebody says so, and comes back."""

from typing import Any

import pytest

from lamina import ConflictError, ForbiddenError, InvalidInputError, Memory, NotFoundError
from tests.days import Day, day, whole

__all__ = ["day", "whole"]


@pytest.fixture
def finn(whole: Memory) -> Memory:
    return whole.agent("finn", project="web")


def keys(found: list[Any]) -> list[str | None]:
    return [one.record.key for one in found]


def test_what_nobody_asks_for_fades_and_what_is_used_does_not(finn: Memory, day: Day) -> None:
    finn.knowledge.put("pitfall", "kettle", "the kettle leaks")
    finn.knowledge.put("pitfall", "heron", "the heron bites")
    finn.knowledge.put("decision", "river", "we stay away from the river", importance=0.9)
    day.passed = 100
    assert finn.knowledge.stale() == []
    finn.recall("heron")
    day.passed = 250
    [found] = finn.knowledge.stale()
    assert found.record.key == "kettle"
    assert found.reasons == ("unchanged for 250 days", "no use was counted")
    assert 0.75 <= found.score < 1
    assert keys(finn.knowledge.stale(least=0.5)) == ["kettle", "heron"]
    assert keys(finn.knowledge.stale(least=0.5, limit=1)) == ["kettle"]
    [_, heron] = finn.knowledge.stale(least=0.5)
    assert heron.reasons == ("unchanged for 250 days", "used 1 time, last 150 days ago")
    # Nothing went by being looked at.
    assert len(finn.knowledge.query()) == 3


def test_saying_it_again_keeps_it_fresh(finn: Memory, day: Day) -> None:
    finn.knowledge.put("pitfall", "kettle", "the kettle leaks")
    day.passed = 190
    finn.knowledge.put("pitfall", "kettle", "the kettle leaks")
    day.passed = 200
    assert finn.knowledge.stale() == []
    [record] = finn.knowledge.query()
    assert record.rev == 1


def test_a_persons_word_lasts_four_times_as_long(whole: Memory, finn: Memory, day: Day) -> None:
    finn.knowledge.put("pitfall", "agent", "the kettle leaks")
    whole.project("web").knowledge.put("pitfall", "person", "the roof leaks")
    day.passed = 719
    assert keys(finn.knowledge.stale()) == ["agent"]
    day.passed = 720
    assert keys(finn.knowledge.stale()) == ["agent", "person"]


def test_pruning_is_one_change_that_can_be_undone(finn: Memory, day: Day) -> None:
    for day.passed, key in enumerate(("a", "b", "c")):
        finn.knowledge.put("pitfall", key, f"{key} is broken")
    day.passed = 300
    found = finn.knowledge.stale()
    assert keys(found) == ["a", "b", "c"]
    receipt = finn.knowledge.prune(*found[:2])
    assert receipt is not None
    assert [one.key for one in finn.knowledge.query()] == ["c"]
    finn.undo(receipt.tx)
    assert len(finn.knowledge.query()) == 3
    finn.knowledge.prune(found[2].record.id)
    assert {one.key for one in finn.knowledge.query()} == {"a", "b"}
    assert finn.knowledge.prune() is None


def test_what_has_changed_since_is_not_pruned(finn: Memory, day: Day) -> None:
    finn.knowledge.put("pitfall", "a", "a is broken")
    finn.knowledge.put("pitfall", "b", "b is broken")
    day.passed = 300
    found = finn.knowledge.stale()
    finn.knowledge.put("pitfall", "b", "b is mended")
    with pytest.raises(ConflictError):
        finn.knowledge.prune(*found)
    assert len(finn.knowledge.query()) == 2


def test_an_agent_prunes_its_own(whole: Memory, finn: Memory, day: Day) -> None:
    maya = whole.agent("maya", project="web")
    maya.knowledge.put("pitfall", "hers", "the roof leaks")
    finn.experience.put("pitfall", "mine", "the kettle leaks")
    day.passed = 300
    with pytest.raises(ForbiddenError):
        finn.knowledge.prune(*finn.knowledge.stale())
    [mine] = finn.experience.stale()
    assert (mine.record.key, mine.record.scope) == ("mine", "project/web/agent/finn")
    with pytest.raises(NotFoundError):
        finn.knowledge.prune(mine)
    with pytest.raises(NotFoundError):
        maya.experience.prune(mine.record.id)
    finn.experience.prune(mine)
    assert finn.experience.query() == []
    assert len(maya.knowledge.query()) == 1


def test_the_half_life_is_a_setting(whole: Memory, finn: Memory, day: Day) -> None:
    finn.knowledge.put("pitfall", "kettle", "the kettle leaks")
    day.passed = 20
    assert finn.knowledge.stale() == []
    whole.configure("stale.half_life_days", "10")
    assert keys(finn.knowledge.stale()) == ["kettle"]
    whole.configure("stale.half_life_days", "all")
    assert finn.knowledge.stale() == []


def test_a_clock_years_ahead_makes_nothing_stale(finn: Memory, day: Day) -> None:
    finn.knowledge.put("pitfall", "kettle", "the kettle leaks")
    day.passed = 365 * 40
    assert finn.knowledge.stale() == []


@pytest.mark.parametrize("least", [0, -1, 1.5, True, "much", float("nan"), None])
def test_a_share_that_is_none_is_refused(finn: Memory, least: Any) -> None:
    with pytest.raises(InvalidInputError, match="`least`"):
        finn.knowledge.stale(least=least)
    with pytest.raises(InvalidInputError, match="`limit`"):
        finn.knowledge.stale(limit=0)
