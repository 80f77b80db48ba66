"""Putting memories right: what has to do with one, several at once, and what an undo would do."""

import pytest

from lamina import ConflictError, InvalidInputError, Memory, NotFoundError
from lamina.curation.links import How, Neighbourhood
from tests.places import mem, plain

__all__ = ["mem", "plain"]


def ties(found: Neighbourhood) -> dict[str, set[str]]:
    return {one.record.id: {tie.how.value for tie in one.ties} for one in found.neighbours}


def test_links_of_every_sort_are_found_on_every_store(mem: Memory) -> None:
    mem.configure("recall.embedder", "off")
    web = mem.project("web")
    store = web.remember("Sessions live in Redis", key="session-store", kind="decision").id
    redis = web.remember("Two machines run Redis", tags=["infra"]).id
    note = web.remember("See the decision", data={"because": {"of": [store]}}).id
    wide = mem.remember("Sessions live in Redis", scope="global", data={"promoted": {"id": store}})
    twin = web.remember("A pitfall of sessions", key="session-store", kind="pitfall").id
    cats = web.remember("Cats sleep all day").id
    mem.recall("Redis")
    found = ties(mem.curation.neighbours(store))
    assert found[redis] == {"recalled_with", "shares"}
    assert "cited_by" in found[wide.id]
    assert "same_key" in found[twin]
    assert "cites" in ties(mem.curation.neighbours(note))[store]
    assert cats not in found
    told = mem.curation.neighbours(redis).neighbours
    assert {tie.why for one in told for tie in one.ties if tie.how is How.SHARES} == {"Redis"}


def test_names_are_found_in_whatever_stands_around_them(plain: Memory) -> None:
    one = plain.remember("-" * 3_000 + " It runs  Redis, src/main.py and @ann.").id
    two = plain.remember("we keep redis").id
    three = plain.remember("look at src/main.py").id
    ties = {near.record.id: near.ties[0].why for near in plain.curation.neighbours(one).neighbours}
    assert ties[two] == "Redis"
    assert "src/main.py" in ties[three]


def test_what_was_replaced_is_walked_from_either_end(plain: Memory) -> None:
    plain.configure("knowledge.accept", "review")
    first = plain.agent("finn", project="web").knowledge.put("decision", "orm", "No ORM").id
    web = plain.project("web")
    [standing] = web.query({"key": "orm", "state": {"$in": ["current", "proposed"]}})
    assert standing.id == first
    if standing.state.value == "proposed":
        web.accept(first)
    rival = plain.agent("otto", project="web").knowledge.put("decision", "orm", "SQLAlchemy").id
    assert ties(web.curation.neighbours(first))[rival] == {"rival"}
    web.accept(rival)
    chain = web.curation.neighbours(rival).chain
    assert {one.id for one in chain} == {first, rival}
    assert [one.id for one in chain] == [one.id for one in web.curation.neighbours(first).chain]
    assert "superseded_by" in ties(web.curation.neighbours(rival))[first]


def test_searches_that_were_kept_say_what_was_recalled_together(plain: Memory) -> None:
    plain.configure("events.reads", "on")
    one = plain.remember("Herons nest by the river").id
    other = plain.remember("The river floods in spring").id
    plain.recall("river")
    plain.recall("river")
    near = plain.curation.neighbours(one).neighbours
    [tie] = [tie for found in near for tie in found.ties if tie.how is How.RECALLED_WITH]
    assert (near[0].record.id, tie.why) == (other, "2 times")


def test_nobody_hears_of_what_they_cannot_see(plain: Memory) -> None:
    plain.configure("events.reads", "on")
    hidden = plain.project("other").remember("Redis for team canary", key="redis").id
    mine = plain.project("web")
    text = "Redis of ours"
    own = mine.remember(text, key="redis", data={"cites": [hidden]}).id
    plain.recall("Redis")
    assert hidden in ties(plain.curation.neighbours(own))
    seen = mine.curation.neighbours(own)
    assert (seen.neighbours, seen.left_out) == ((), 0)
    with pytest.raises(NotFoundError):
        mine.curation.neighbours(hidden)
    with pytest.raises(NotFoundError):
        mine.curation.edit([{"id": hidden, "text": "x"}])
    with pytest.raises(NotFoundError):
        mine.curation.would_undo(plain.history(hidden)[0].event.tx)


def test_several_change_in_one_step_or_not_at_all(plain: Memory) -> None:
    ids = [plain.remember(f"memory {n}").id for n in range(3)]
    with pytest.raises(ConflictError):
        plain.curation.edit([{"id": ids[0], "tags": ["x"]}, {"id": ids[1], "text": "y",
                                                             "expect": 9}])  # fmt: skip
    assert plain.get(ids[0]).tags == ()
    done = plain.curation.edit([{"id": one, "tags": ["x"], "expect": 1} for one in ids])
    assert [plain.get(one).tags for one in ids] == [("x",)] * 3
    told = plain.curation.would_undo(done.tx)
    assert [(one.now.tags, one.then.tags) for one in told] == [(("x",), ())] * 3
    assert plain.get(ids[0]).tags == ("x",)
    plain.undo(done.tx)
    assert [plain.get(one).tags for one in ids] == [()] * 3
    kept = plain.remember("short-lived")
    [gone] = plain.curation.would_undo(kept.tx)
    assert gone.then.state.value == "forgotten"
    plain.edit(kept.id, "changed since")
    with pytest.raises(ConflictError):
        plain.curation.would_undo(kept.tx)


@pytest.mark.parametrize("wrong", [[], [{"text": "x"}], [{"id": "x"}], [{"id": "0" * 26, "a": 1}]])
def test_what_is_no_edit_is_refused(plain: Memory, wrong: list[dict[str, str]]) -> None:
    with pytest.raises(InvalidInputError):
        plain.curation.edit(wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError):
        plain.curation.neighbours("x", limit=0)
