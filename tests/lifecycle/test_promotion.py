"""Promotion happens when it is asked for, or switched on; what waits is reviewed."""

import pytest

from lamina import ForbiddenError, InvalidInputError, Memory, NotFoundError
from lamina.memory import AgentMemory
from tests.days import Day
from tests.lifecycle.seen import everything, states


@pytest.fixture
def finn(whole: Memory) -> AgentMemory:
    return whole.agent("finn", project="web")


def test_promotion_carries_where_it_came_from_and_how_far_it_is_believed(
    whole: Memory, finn: AgentMemory
) -> None:
    note = finn.remember(
        "the kettle leaks", layer="notebook", via="web", scope=f"{finn.scope}/task/t"
    )
    before = everything(whole)
    receipt = finn.lifecycle.promote(note.id, kind="pitfall")
    assert receipt is not None
    [known] = whole.project("web").knowledge.query()
    assert (known.scope, known.kind, known.trust.value) == ("project/web", "pitfall", "web")
    assert known.data["promoted"]["id"] == note.id
    assert finn.lifecycle.promote(note.id, kind="pitfall") is None
    finn.undo(receipt.tx)
    assert everything(whole) | before == everything(whole)
    assert whole.project("web").knowledge.query() == []
    own = finn.lifecycle.promote(note.id, to="experience")
    assert own is not None
    assert [(one.kind, one.scope) for one in finn.experience.query()] == [("fact", finn.scope.path)]
    with pytest.raises(ForbiddenError):
        finn.lifecycle.promote(note.id, to="global")
    wide = whole.lifecycle.promote(note.id, to="global", kind="preference")
    assert wide is not None
    assert [one.state.value for one in whole.lifecycle.proposals()] == ["proposed"]


def test_what_cannot_be_promoted_is_refused(whole: Memory, finn: AgentMemory) -> None:
    kept = whole.remember("everybody's")
    with pytest.raises(InvalidInputError, match="no project"):
        whole.lifecycle.promote(kept.id)
    with pytest.raises(InvalidInputError, match="`to`"):
        whole.lifecycle.promote(kept.id, to="moon")
    with pytest.raises(InvalidInputError, match="no record"):
        whole.lifecycle.promote()
    other = whole.agent("otto", project="other").remember("theirs")
    with pytest.raises(NotFoundError):
        finn.lifecycle.promote(other.id)


def test_nothing_is_promoted_by_itself_unless_switched_on(whole: Memory, finn: AgentMemory) -> None:
    finn.notebook("t-1").note("the heron bites", promote="pitfall")
    finn.notebook("t-1").note("not marked")
    assert whole.lifecycle.plans("promotion")[0].steps == ()
    whole.configure("promotion.auto", "on")
    [done] = whole.lifecycle.run("promotion").done
    assert [step.reason for step in done.plan.steps] == ["marked to become a pitfall"]
    [known] = finn.knowledge.query("pitfall")
    assert (known.text, known.source, known.trust.value) == ("the heron bites", "finn", "agent")
    assert whole.lifecycle.plans("promotion")[0].steps == ()
    assert done.receipt is not None
    whole.undo(done.receipt.tx)
    # Somebody did not want it: it is not tried again.
    assert whole.lifecycle.run("promotion").done[0].plan.steps == ()


def test_what_several_agents_learned_is_proposed_and_reviewed(whole: Memory) -> None:
    whole.configure("promotion.auto", "propose")
    said = ("the heron bites", "The heron bites.", "the heron bites", "the heron bites")
    for name, text in zip(("finn", "maya", "otto", "otto"), said, strict=True):
        whole.agent(name, project="web").experience.put("pitfall", f"heron {text}", text)
    whole.agent("eve", project="other").experience.put("pitfall", "heron", "the heron bites")
    whole.configure("promotion.agents", "4")
    assert whole.lifecycle.plans("promotion")[0].steps == ()
    whole.configure("promotion.agents", "3")
    assert whole.lifecycle.run("promotion").done[0].plan.steps[0].reason == "learned by 3 agents"
    web = whole.project("web")
    assert web.knowledge.query() == []
    [waiting] = web.lifecycle.proposals()
    assert whole.project("other").lifecycle.proposals() == []
    with pytest.raises(ForbiddenError):
        whole.agent("finn", project="web").lifecycle.accept(waiting.id)
    rejected = web.lifecycle.reject(waiting.id)
    assert rejected is not None
    assert web.lifecycle.proposals() == []
    web.undo(rejected.tx)
    accepted = web.lifecycle.accept(waiting.id)
    assert accepted is not None
    assert [one.id for one in web.knowledge.query()] == [accepted.id]
    with pytest.raises(InvalidInputError, match="not proposed"):
        web.lifecycle.reject(waiting.id)
    assert web.lifecycle.reject() is None


def test_where_knowledge_is_reviewed_promotion_waits_too(whole: Memory, finn: AgentMemory) -> None:
    whole.configure("promotion.auto", "on")
    whole.configure("knowledge.accept", "review")
    finn.notebook("t-1").note("the heron bites", promote="pitfall")
    whole.lifecycle.run("promotion")
    assert states(whole, "knowledge") == ["proposed"]


def test_a_note_of_long_ago_keeps_its_mark(whole: Memory, finn: AgentMemory, day: Day) -> None:
    whole.configure("promotion.auto", "on")
    finn.notebook("t-1").note("the heron bites", promote="pitfall")
    wrong = {"promote": ["no", "kind"]}
    finn.remember("the kettle leaks", layer="notebook", scope=f"{finn.scope}/task/t-1", data=wrong)
    day.passed = 400
    assert [step.record.text for step in whole.lifecycle.plans("promotion")[0].steps] == [
        "the heron bites"
    ]
