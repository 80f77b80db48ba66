"""The front door: what a user sees, the same on every store."""

from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import pytest

from lamina import (
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    Memory,
    NotFoundError,
    State,
    Trust,
)
from tests.places import mem

if TYPE_CHECKING:
    from lamina.core.draft import Draft

__all__ = ["mem"]


def test_what_is_remembered_is_recalled_at_once(mem: Memory) -> None:
    kept = mem.remember("The staging database lives on port 5433", tags=["db"])
    [hit] = mem.recall("which port has the staging database?").hits
    assert hit.record.id == kept.id
    assert hit.record.tags == ("db",)
    assert (kept.rev, kept.action, kept.pending) == (1, "created", ("vectors",))


def test_nothing_relevant_means_nothing_returned(mem: Memory) -> None:
    mem.remember("The staging database lives on port 5433")
    found = mem.recall("xylophone lessons")
    assert found.abstained
    assert found.hits == ()


def test_a_correction_replaces_and_history_keeps(mem: Memory) -> None:
    first = mem.remember("Deploys go out on Tuesdays", key="deploy-day", kind="convention")
    second = mem.remember("Deploys go out on Thursdays", key="deploy-day", kind="convention")
    assert (second.id, second.rev, second.action) == (first.id, 2, "revised")
    found = mem.recall("when do deploys go out")
    assert [hit.record.text for hit in found.hits] == ["Deploys go out on Thursdays"]
    assert found.suppressed == 1
    assert all("Tuesdays" not in hit.record.text for hit in mem.recall("Tuesdays").hits)
    texts = [version.record.text for version in mem.history(first.id) if version.record]
    assert texts == ["Deploys go out on Tuesdays", "Deploys go out on Thursdays"]


def test_the_same_word_again_changes_nothing(mem: Memory) -> None:
    first = mem.remember("Tabs, not spaces", key="indent")
    again = mem.remember("Tabs, not spaces", key="indent")
    assert (again.id, again.rev, again.action) == (first.id, 1, "unchanged")
    assert len(mem.history(first.id)) == 1


def test_one_key_may_stand_once_per_kind_of_knowledge(mem: Memory) -> None:
    mem.remember("node: prefix", key="imports", kind="convention")
    mem.remember("imports were cleaned up", key="imports", kind="decision")
    assert mem.get("imports", kind="convention").text == "node: prefix"
    with pytest.raises(InvalidInputError, match="names 2 records"):
        mem.get("imports")


def test_a_key_that_stands_once_is_corrected_without_naming_its_kind(mem: Memory) -> None:
    first = mem.remember("Deploys on Monday", key="dd", kind="convention")
    second = mem.remember("Deploys on Friday", key="dd")
    assert (second.id, second.action) == (first.id, "revised")
    assert (mem.get("dd").text, mem.get("dd").kind) == ("Deploys on Friday", "convention")


def test_messages_of_one_id_differ_by_their_kind(mem: Memory) -> None:
    mem.remember("ls", layer="session", kind="tool_call", key="call-1")
    mem.remember("a.txt", layer="session", kind="tool_result", key="call-1")
    mem.remember("hello", layer="session", key="m-1", kind="assistant")
    assert mem.remember("hi", layer="session", key="m-1").action == "created"
    assert mem.count({"layer": "session"}) == 4


def test_a_name_that_is_no_text_is_refused(mem: Memory) -> None:
    wrong: Any = 5
    for call in (mem.get, mem.history, mem.forget, mem.erase, mem.edit):
        with pytest.raises(InvalidInputError, match="must be text"):
            call(wrong)


def test_records_are_named_by_id_or_by_key(mem: Memory) -> None:
    kept = mem.remember("one", key="k")
    mem.edit("k", "two")
    assert [version.event.rev for version in mem.history("k")] == [1, 2]
    gone = mem.forget("k")
    with pytest.raises(NotFoundError, match="forgotten"):
        mem.edit("k", "three")
    mem.undo(gone.tx)
    assert mem.erase("k").records == (kept.id,)


def test_an_edit_cannot_leave_nothing(mem: Memory) -> None:
    kept = mem.remember("something")
    with pytest.raises(InvalidInputError, match="empty"):
        mem.edit(kept.id, "")
    assert mem.get(kept.id).text == "something"


def test_a_fact_keeps_one_value_whatever_its_category(mem: Memory) -> None:
    first = mem.remember("blue", layer="fact", key="colour", kind="general")
    second = mem.remember("green", layer="fact", key="colour", kind="preference")
    assert second.id == first.id
    assert mem.get("colour").kind == "preference"


def test_compare_and_set_refuses_a_stale_writer(mem: Memory) -> None:
    first = mem.remember("one", key="k", expect=0)
    mem.remember("two", key="k", expect=first.rev)
    with pytest.raises(ConflictError, match="rev 2"):
        mem.remember("three", key="k", expect=first.rev)
    with pytest.raises(ConflictError):
        mem.edit(first.id, "three", expect=1)
    assert mem.get("k").text == "two"


def test_an_edit_changes_only_what_it_names(mem: Memory) -> None:
    kept = mem.remember("draft", key="k", tags=["a"], data={"n": 1}, importance=0.3)
    mem.edit(kept.id, "final", tags=["b"])
    record = mem.get(kept.id)
    assert (record.text, record.tags, record.data, record.importance) == (
        "final",
        ("b",),
        {"n": 1},
        0.3,
    )


def test_forget_hides_and_undo_brings_back(mem: Memory) -> None:
    kept = mem.remember("The wifi is called heron", key="wifi")
    gone = mem.forget(kept.id)
    assert mem.recall("heron").abstained
    assert mem.count() == 0
    with pytest.raises(NotFoundError):
        mem.get("wifi")
    assert [record.id for record in mem.query({"state": "forgotten"})] == [kept.id]
    mem.undo(gone.tx)
    assert mem.get("wifi").id == kept.id
    assert not mem.recall("heron").abstained


def test_undo_takes_back_a_whole_transaction_or_nothing(mem: Memory) -> None:
    mem.remember("one", key="a")
    batch = mem.remember_many([{"text": "two", "key": "a"}, {"text": "new", "key": "b"}])
    mem.undo(batch.tx)
    assert mem.get("a").text == "one"
    with pytest.raises(NotFoundError):
        mem.get("b")
    later = mem.remember_many([{"text": "three", "key": "a"}, {"text": "new", "key": "c"}])
    mem.remember("four", key="a")
    with pytest.raises(ConflictError, match="has changed since"):
        mem.undo(later.tx)
    assert (mem.get("a").text, mem.get("c").text) == ("four", "new")


def test_a_batch_is_all_or_nothing(mem: Memory) -> None:
    with pytest.raises(InvalidInputError):
        mem.remember_many([{"text": "good"}, {"text": "bad", "layer": "nowhere"}])
    with pytest.raises(ConflictError):
        mem.remember_many([{"text": "good"}, {"text": "bad", "key": "k", "expect": 4}])
    assert mem.count() == 0


def test_a_repeated_request_is_answered_with_the_first_receipt(mem: Memory) -> None:
    first = mem.remember("once", idempotency_key="r-1")
    again = mem.remember("once", idempotency_key="r-1")
    assert again.repeated
    assert (again.id, again.tx) == (first.id, first.tx)
    assert mem.count() == 1
    with pytest.raises(ConflictError, match="idempotency_key"):
        mem.remember("something else", idempotency_key="r-1")


def test_an_expired_memory_is_left_out(mem: Memory) -> None:
    past = datetime.now(UTC) - timedelta(seconds=1)  # noqa: TID251  # the test's own present
    mem.remember("The build is red", key="ci", expires=past)
    mem.remember("The build is amber", key="other", expires="7d")
    assert [record.key for record in mem.query()] == ["other"]
    assert [hit.record.key for hit in mem.recall("build").hits] == ["other"]
    assert mem.count({"expires_at": {"$lte": past}}) == 1


def test_a_less_trusted_word_only_proposes(mem: Memory) -> None:
    mem.remember("The API is versioned by date", key="api", kind="convention")
    agent = mem.agent("finn", project="web")
    project = mem.project("web")
    project.remember("Use tabs", key="indent", kind="convention")
    kept = agent.remember("Use spaces", key="indent", kind="convention", scope="project/web")
    assert kept.action == "proposed"
    assert project.get("indent").text == "Use tabs"
    [proposal] = project.query({"state": "proposed"})
    assert (proposal.text, proposal.trust, proposal.source) == ("Use spaces", Trust.AGENT, "finn")
    project.accept(proposal.id)
    assert project.get("indent").text == "Use spaces"
    assert project.get("indent").rev == 2


def test_an_accepted_correction_of_something_without_a_key_takes_its_place(mem: Memory) -> None:
    project, agent = mem.project("web"), mem.agent("finn", project="web")
    kept = project.remember("The port is 80")
    proposed = agent.edit(kept.id, "The port is 8080")
    assert proposed.action == "proposed"
    receipt = project.accept(proposed.id)
    assert [(one.id, one.text) for one in project.query()] == [(kept.id, "The port is 8080")]
    project.undo(receipt.tx)
    assert [one.text for one in project.query()] == ["The port is 80"]


def test_knowledge_of_agents_waits_when_review_is_on(mem: Memory) -> None:
    mem.configure("knowledge.accept", "review")
    agent = mem.agent("finn", project="web")
    kept = agent.remember("We use uv", key="installer", scope="project/web")
    assert kept.action == "proposed"
    assert mem.project("web").recall("uv").abstained
    mem.project("web").accept(kept.id)
    assert mem.project("web").get("installer").text == "We use uv"
    with pytest.raises(ForbiddenError):
        agent.accept(kept.id)


def test_web_content_is_never_believed_like_a_person(mem: Memory) -> None:
    kept = mem.remember("This product is the best", via="web")
    assert mem.get(kept.id).trust is Trust.WEB
    agent = mem.agent("finn", project="web")
    assert agent.get(agent.remember("said so", via="user").id).trust is Trust.AGENT
    with pytest.raises(ForbiddenError, match="speak for another"):
        agent.remember("x", source="user")


def test_append_only_layers_are_never_rewritten(mem: Memory) -> None:
    line = mem.remember("ran the tests", layer="log", kind="TOOL_USE")
    with pytest.raises(InvalidInputError, match="never change"):
        mem.edit(line.id, "ran nothing")
    assert mem.get(line.id).text == "ran the tests"


def test_a_plain_recall_leaves_transcripts_alone(mem: Memory) -> None:
    mem.remember("hello heron", layer="session", kind="user")
    assert mem.recall("heron").abstained
    assert not mem.recall("heron", layers=["session"]).abstained
    assert not mem.recall("heron", where={"layer": "session"}).abstained


def test_secrets_never_appear_and_only_the_owner_reads_them(mem: Memory) -> None:
    value = "hunter2" + "-Xy9-quartz"
    kept = mem.remember(f"the admin password is {value}", key="admin-login")
    record = mem.get(kept.id)
    assert value not in record.text
    assert kept.sealed[0] in record.text
    reference = next(word for word in record.text.split() if word.startswith("secret://"))
    assert mem.reveal(kept.id, reference) == value
    assert mem.history(kept.id)[-1].event.action == "witnessed"
    assert mem.recall(value).abstained
    with pytest.raises(ForbiddenError):
        mem.project("web").reveal(kept.id, reference)
    mine = mem.project("web").remember(f"the admin password is {value}")
    other = next(w for w in mem.get(mine.id).text.split() if w.startswith("secret://"))
    assert other != reference
    assert mem.project("web").reveal(mine.id, other) == value
    with pytest.raises(ForbiddenError):
        mem.agent("finn", project="web").reveal(mine.id, other)


def test_the_length_of_a_secret_does_not_show(mem: Memory) -> None:
    short = mem.remember("the password is " + "q7-Bramble")
    long = mem.remember("the password is " + "q7-Bramble" * 30)
    assert mem.get(short.id).tokens == mem.get(long.id).tokens


def test_erase_leaves_nothing_but_events(mem: Memory) -> None:
    kept = mem.remember("The codeword is marmalade-sky", key="codeword")
    mem.remember("The codeword is strawberry-field", key="codeword", idempotency_key="i")
    report = mem.erase(kept.id)
    assert report.complete
    assert (report.records, report.versions) == ((kept.id,), 2)
    with pytest.raises(NotFoundError):
        mem.get(kept.id)
    assert mem.recall("marmalade codeword strawberry").abstained
    assert [version.record for version in mem.history(kept.id)] == [None, None, None]
    assert mem.store.tombstones([kept.id]) == {kept.id}


def test_erase_names_other_records_that_say_the_same(mem: Memory) -> None:
    first = mem.remember("The codeword is marmalade-sky")
    second = mem.remember("Remember: The codeword is marmalade-sky", kind="decision")
    assert mem.erase(first.id).mentions == (second.id,)


@pytest.mark.parametrize(
    ("fields", "argument"),
    [
        ({"scope": "nowhere"}, "scope"),
        ({"scope": "project/../x"}, "scope"),
        ({"scope": "project/web/task"}, "scope"),
        ({"key": ""}, "key"),
        ({"key": "x" * 1_000_000}, "key"),
        ({"key": "a\0b"}, "key"),
        ({"text": "a\0b"}, "text"),
        ({"text": "\ud800"}, "text"),
        ({"text": ""}, "text"),
        ({"data": {"x": float("nan")}}, "data.x"),
        ({"data": {"x": 10**5000}}, "data.x"),
        ({"data": {1: 2}}, "data"),
        ({"data": [1]}, "data"),
        ({"tags": "one"}, "tags"),
        ({"tags": ["x"] * 3 + [f"t{n}" for n in range(70)]}, "tags"),
        ({"importance": 2}, "importance"),
        ({"confidence": True}, "confidence"),
        ({"layer": "nope"}, "layer"),
        ({"layer": "fact", "kind": "odd"}, "kind"),
        ({"expires": "soon"}, "expires"),
        ({"valid_from": datetime(2026, 1, 1)}, "valid_from"),
        ({"via": "moon"}, "via"),
        ({"expect": -1}, "expect"),
        ({"mood": "good"}, "mood"),
        ({"layer": "item"}, "item"),
    ],
)
def test_bad_input_names_the_argument_and_stores_nothing(
    mem: Memory, fields: dict[str, Any], argument: str
) -> None:
    with pytest.raises((InvalidInputError, ForbiddenError), match=f"`{argument}`") as caught:
        mem.remember_many([cast("Draft", {"text": "fine", **fields})])
    assert len(str(caught.value)) < 500
    assert mem.query({"state": {"$in": [state.value for state in State]}}) == []


def test_deep_data_is_refused_without_exhausting_the_stack(mem: Memory) -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InvalidInputError, match="nested deeper"):
        mem.remember("x", data={"deep": deep})


@pytest.mark.parametrize("limit", [0, -1, 10**9, 1.5, "5", True, None])
def test_limits_are_checked(mem: Memory, limit: Any) -> None:
    with pytest.raises(InvalidInputError, match="limit"):
        mem.query(limit=limit)
    with pytest.raises(InvalidInputError, match="`k`"):
        mem.recall("x", k=limit)


@pytest.mark.parametrize(
    "drafts",
    [["text"], "text", {"text": "x"}, [{"text": "fine"}, None], [["text"]], [7], 7, None,
     [[("text", "x")]], b"text"],
)  # fmt: skip
def test_what_is_no_draft_is_refused(drafts: Any, mem: Memory) -> None:
    with pytest.raises(InvalidInputError, match="`drafts`"):
        mem.remember_many(drafts)
    assert mem.count() == 0


def test_a_draft_with_a_name_that_is_no_text_is_refused(mem: Memory) -> None:
    drafts: Any = [{7: "x", "text": "y"}]
    with pytest.raises(InvalidInputError, match="`7`"):
        mem.remember_many(drafts)


def test_any_mapping_is_a_draft(mem: Memory) -> None:
    drafts: Any = (MappingProxyType({"text": text, "key": text}) for text in ("one", "two"))
    mem.remember_many(drafts)
    assert mem.get("two").text == "two"


def test_a_project_opens_its_own_agents(mem: Memory) -> None:
    web = mem.project("web")
    assert web.agent("finn").scope.path == "project/web/agent/finn"
    assert web.agent("finn", project="web").scope.path == "project/web/agent/finn"
    assert mem.agent("finn").scope.path == "agent/finn"
    with pytest.raises(ForbiddenError):
        web.agent("finn", project="shop")
    with pytest.raises(ForbiddenError):
        web.agent("finn").agent("maya")
