"""Plans tell what would be done, do it in one change, and are undone; nothing goes by itself."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from lamina import ConflictError, ForbiddenError, InvalidInputError, Memory, aio, leasing
from lamina.core.scope import Scope
from lamina.lifecycle import Does
from lamina.memory import AgentMemory
from tests.days import Day
from tests.lifecycle.seen import everything, states


def web(mem: Memory) -> tuple[AgentMemory, AgentMemory]:
    return mem.agent("finn", project="web"), mem.agent("maya", project="web")


def test_episodes_are_archived_after_their_time(whole: Memory, day: Day) -> None:
    finn, _ = web(whole)
    for day.passed, task in ((0, "old"), (1, "new"), (31, "newest")):
        finn.episode.record(task, "completed", approach="by hand")
    [plan] = whole.lifecycle.plans("retention")
    before = everything(whole)
    assert [step.reason for step in plan.steps] == ["31 days old, 30 are kept"]
    assert (plan.steps[0].does, plan.takes, plan.of) == (Does.ARCHIVE, 1, 3)
    assert everything(whole) == before
    receipt = plan.apply()
    assert receipt is not None
    assert [one.data["task"] for one in finn.episode.query()] == ["newest", "new"]
    assert states(whole, "episode") == ["archived", "current", "current"]
    assert whole.lifecycle.plans("retention")[0].apply() is None
    whole.undo(receipt.tx)
    assert everything(whole) == before
    whole.configure("episode.retain_days", "all")
    assert whole.lifecycle.plans("retention")[0].steps == ()
    whole.configure("episode.retain_days", "10")
    assert whole.lifecycle.plans("retention")[0].takes == 2


def test_silent_sessions_are_archived_whole_and_still_found(whole: Memory, day: Day) -> None:
    finn, _ = web(whole)
    finn.session("s-1").append("user", "where does the heron nest?")
    finn.session("s-2").append("user", "is the kettle mended?")
    day.passed = 25
    finn.session("s-2").append("assistant", "not yet")
    day.passed = 31
    before = everything(whole)
    [plan] = whole.lifecycle.plans("archiving")
    assert [step.record.text for step in plan.steps] == ["where does the heron nest?"]
    receipt = plan.apply()
    assert receipt is not None
    assert finn.session.names() == ["s-2"]
    assert finn.session.names(archived=True) == ["s-2", "s-1"]
    assert finn.session("s-1").read() == []
    assert [one.text for one in finn.session("s-1").read(archived=True)] == [
        "where does the heron nest?"
    ]
    assert len(finn.session("s-1").read(last=5, archived=True)) == 1
    assert [hit.record.text for hit in finn.session("s-1").search("heron nest").hits] == [
        "where does the heron nest?"
    ]
    archived = finn.recall("heron nest", layers=["session"], where={"state": "archived"})
    assert len(archived.hits) == 1
    finn.undo(receipt.tx)
    assert everything(whole) == before


def test_a_session_that_is_run_or_goes_on_is_not_archived(one: Memory, day: Day) -> None:
    finn, _ = web(one)
    for name in ("s-1", "s-2"):
        finn.session(name).append("user", "where does the heron nest?")
    day.passed = 31
    with leasing.take(finn, leasing.of_session("finn", "s-1"), scope=finn.scope):
        [plan] = one.lifecycle.plans("archiving")
        assert [Scope.of(step.record.scope).part("session") for step in plan.steps] == ["s-2"]
    [plan] = one.lifecycle.plans("archiving")
    finn.session("s-2").append("user", "and the stork?")
    with pytest.raises(ConflictError, match="s-2 goes on again"):
        plan.apply(confirm=True)
    assert states(one, "session") == ["current"] * 3
    assert one.lifecycle.run("archiving").done[0].plan.takes == 1


def test_a_crowded_project_loses_the_least_important_tenth(whole: Memory, day: Day) -> None:
    project = whole.project("web")
    for day.passed, weight in enumerate((0.9, 0.2, 0.2, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5)):
        project.remember(f"statement {day.passed}", importance=weight)
    assert whole.lifecycle.plans("eviction")[0].steps == ()
    whole.configure("project.max_items", "10")
    [plan] = whole.lifecycle.plans("eviction")
    assert [step.record.text for step in plan.steps] == ["statement 1"]
    assert not plan.asks
    receipt = plan.apply()
    assert receipt is not None
    assert project.count() == 10
    whole.undo(receipt.tx)
    evicted = project.project_tier.evict()
    assert evicted is not None
    # Undone, it is the youngest change of its importance.
    assert [one.text for one in evicted.records] == ["statement 2"]


def test_what_has_faded_is_proposed_and_goes_only_when_named(whole: Memory, day: Day) -> None:
    finn, _ = web(whole)
    finn.knowledge.put("pitfall", "kettle", "the kettle leaks")
    finn.knowledge.put("pitfall", "heron", "the heron bites children")
    day.passed = 249
    finn.session("s-1").append("user", "Did the heron bite any children today?")
    day.passed = 250
    before = everything(whole)
    [plan] = whole.lifecycle.plans("stale")
    assert [step.record.key for step in plan.steps] == ["kettle"]
    assert "unchanged for 250 days" in plan.steps[0].reason
    with pytest.raises(InvalidInputError, match="only proposes"):
        plan.apply()
    whole.lifecycle.run(confirm=True)
    assert everything(whole) == before
    whole.lifecycle.run("stale")
    assert everything(whole) == before
    [done] = whole.lifecycle.run("stale", confirm=True).done
    assert done.receipt is not None
    assert [one.key for one in finn.knowledge.query()] == ["heron"]
    whole.undo(done.receipt.tx)
    assert everything(whole) == before


def test_what_says_the_same_becomes_one(whole: Memory, day: Day) -> None:
    finn, _ = web(whole)
    finn.remember("The kettle isn't mended.", tags=["kitchen"])
    kept = finn.remember("the kettle is not mended", tags=["kitchen", "tea"])
    finn.remember("the kettle is mended", tags=["kitchen"])
    finn.remember("the kettle is not mended", kind="pitfall")
    finn.remember("the kettle is not mended", tags=["garden"])
    finn.remember("the kettle is not mended", key="kettle")
    before = everything(whole)
    [plan] = whole.lifecycle.plans("consolidation")
    assert [step.does for step in plan.steps] == [Does.KEEP, Does.SUPERSEDE]
    assert plan.steps[0].record.id == kept.id
    receipt = plan.apply()
    assert receipt is not None
    best = finn.get(kept.id)
    assert best.data["merged"] == [plan.steps[1].record.id]
    assert (best.source, best.trust.value, best.text) == (
        "finn",
        "agent",
        plan.steps[0].record.text,
    )
    assert finn.count({"layer": "knowledge"}) == 5
    assert whole.lifecycle.plans("consolidation")[0].steps == ()
    whole.undo(receipt.tx)
    assert everything(whole) == before


def test_a_plan_that_takes_much_asks(one: Memory, day: Day) -> None:
    finn, _ = web(one)
    for number in range(8):
        finn.episode.record(f"t-{number}", "completed")
    day.passed = 40
    [plan] = one.lifecycle.plans("retention")
    assert (plan.asks, plan.share) == (True, 1.0)
    with pytest.raises(InvalidInputError, match=r"8 of the 8 current records \(100%\)"):
        plan.apply()
    with pytest.raises(InvalidInputError, match="`confirm`"):
        plan.apply(confirm="yes")  # type: ignore[arg-type]
    found = one.lifecycle.run("retention")
    assert (found.done[0].waits, found.done[0].receipt, len(found.asks)) == (True, None, 1)
    assert states(one, "episode") == ["current"] * 8
    assert plan.apply(confirm=True) is not None
    one.remember_many([{"text": f"filler {number}"} for number in range(200)])
    day.passed = 0
    finn.episode.record("t-9", "completed")
    day.passed = 40
    assert one.lifecycle.run("retention").done[0].waits is False


@pytest.mark.parametrize("years", [10, -10])
def test_a_clock_that_is_years_off_expires_nothing(whole: Memory, day: Day, years: int) -> None:
    finn, _ = web(whole)
    finn.episode.record("t-1", "completed")
    finn.session("s-1").append("user", "hello")
    finn.knowledge.put("pitfall", "kettle", "the kettle leaks")
    before = everything(whole)
    day.passed = 365 * years
    assert [plan.takes for plan in whole.lifecycle.plans()] == [0] * 6
    whole.lifecycle.run(confirm=True)
    whole.lifecycle.run("stale", confirm=True)
    assert everything(whole) == before


def test_a_plan_conflicts_whole_once_a_record_has_changed(whole: Memory, day: Day) -> None:
    finn, _ = web(whole)
    finn.remember("the kettle leaks")
    finn.remember("The kettle leaks.", tags=["kitchen"])
    finn.remember("the kettle leaks", tags=["kitchen", "tea"])
    notes = finn.notebook("t-1")
    marked = notes.note("the heron bites", promote="pitfall")
    whole.configure("promotion.auto", "on")
    promotion, consolidation = whole.lifecycle.plans("promotion", "consolidation")
    finn.forget(consolidation.steps[-1].record.id)
    finn.edit(marked.id, "the heron is gone")
    before = everything(whole)
    for plan in (promotion, consolidation):
        with pytest.raises(ConflictError):
            plan.apply()
    assert everything(whole) == before
    assert whole.lifecycle.plans("consolidation")[0].apply() is not None


def test_a_handle_plans_for_what_is_its_own(one: Memory, day: Day) -> None:
    finn, maya = web(one)
    for agent in (finn, maya):
        agent.episode.record("t-1", "completed")
        agent.session("s-1").append("user", "hello")
        agent.knowledge.put("pitfall", f"of {agent.principal.name}", "the kettle leaks")
        agent.remember("the heron bites", scope="project/web", tags=[agent.principal.name])
    one.agent("otto", project="other").session("s-1").append("user", "hello")
    day.passed = 500
    own = {record.id for plan in finn.lifecycle.plans() for record in map(_record, plan.steps)}
    assert {one.get(name).source for name in own} == {"finn"}
    [both] = one.project("web").lifecycle.plans("archiving")
    assert {step.record.source for step in both.steps} == {"finn", "maya"}
    assert one.agent("eve", project="web", role="reader").lifecycle.plans("archiving")[0].takes == 0
    [hers] = maya.lifecycle.plans("archiving")
    with pytest.raises(ForbiddenError):
        finn.lifecycle.run()
    assert hers.apply() is not None
    with pytest.raises(InvalidInputError, match="there is no plan"):
        finn.lifecycle.plans("nothing")
    with pytest.raises(InvalidInputError, match="`only`"):
        one.lifecycle.run("nothing")
    with pytest.raises(InvalidInputError, match="`plan`"):
        one.lifecycle.apply("retention")  # type: ignore[arg-type]


def _record(step: Any) -> Any:
    return step.record


def test_plans_from_an_event_loop(tmp_path: Path, day: Day) -> None:
    async def tidy() -> None:
        async with await aio.open(":memory:") as mem:
            await mem.configure("recall.embedder", "off")
            finn = mem.agent("finn", project="web")
            await finn.episode.record("t-1", "completed")
            day.passed = 40
            [plan] = await mem.lifecycle.plans("retention")
            receipt = await mem.lifecycle.apply(plan)
            await mem.undo(receipt.tx)
            assert (await mem.lifecycle.run("retention")).done[0].plan.takes == 1

    anyio.run(tidy)
