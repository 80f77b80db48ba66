"""Clauses on vectors: what waits for one, whose they are, and what lies near a question."""

import math
from itertools import pairwise

import pytest

from lamina.core.access import EVERYTHING
from lamina.core.changes import Erase, Move
from lamina.core.filters import parse
from lamina.core.record import Record, State
from lamina.core.vectors import Embedded, Progress, Vector, packed
from lamina.errors import InvalidInputError
from lamina.stores.base import Store
from lamina.stores.questions import Match
from lamina.testing.builders import (
    NOON,
    a_put,
    after_noon,
    look_for,
    search,
    sight_of,
    someday,
    the,
    write,
    written,
)

SPACE = "compass"
EAST = Vector(SPACE, packed((1.0, 0.0)))


def towards(degrees: float) -> bytes:
    """A vector that points so many degrees away from east."""
    angle = math.radians(degrees)
    return packed((math.cos(angle), math.sin(angle)))


def place(store: Store, record: Record, degrees: float, space: str = SPACE) -> None:
    """Give a record its vector."""
    assert store.embed(space, [Embedded(record.id, record.rev, towards(degrees))]) == 1


def pointed(store: Store, degrees: float, **fields: object) -> Record:
    """Write a record whose text says where it points, and place it."""
    record = written(store, f"{degrees:g} degrees", **fields)
    place(store, record, degrees)
    return record


def near(store: Store, **fields: object) -> list[Match]:
    """What lies near east, nearest first; words are not asked for."""
    return look_for(store, "", **{"vector": EAST, **fields})


class EmbeddingClauses:
    """Vectors belong to a version and a space, and follow their records in everything."""

    def test_a_record_waits_until_its_newest_version_has_a_vector(self, store: Store) -> None:
        record = written(store, "kettle", key="k")
        write(store, a_put("", data={"n": 1}))
        assert store.unembedded(SPACE, 10) == [record]
        place(store, record, 0)
        assert store.unembedded(SPACE, 10) == []
        write(store, a_put("cup", key="k"))
        [waiting] = store.unembedded(SPACE, 10)
        assert (waiting.id, waiting.rev) == (record.id, 2)
        # A vector of what it said before comes too late.
        assert store.embed(SPACE, [Embedded(record.id, 1, towards(0))]) == 0
        assert store.unembedded(SPACE, 10) == [waiting]
        assert near(store) == []

    def test_what_is_not_indexed_needs_no_vector(self, store: Store) -> None:
        written(store, "a secret plan", layer="working", scope="project/web/agent/finn")
        record = written(store, "kettle")
        write(store, Move(id=record.id, state=State.FORGOTTEN))
        assert store.unembedded(SPACE, 10) == []
        assert store.embed(SPACE, [Embedded(record.id, 2, towards(0))]) == 0

    def test_pending_made_and_refused_are_counted(self, store: Store) -> None:
        first, second, _ = (written(store, text) for text in ("one", "two", "three"))
        assert store.progress(SPACE) == Progress(0, 3)
        store.embed(SPACE, [Embedded(first.id, 1, towards(9)), Embedded(second.id, 1, None)])
        assert store.progress(SPACE) == Progress(1, 1, 1)
        assert [record.text for record in store.unembedded(SPACE, 10)] == ["three"]
        assert [match.record.text for match in near(store)] == ["one"]

    def test_only_some_are_handed_out_at_a_time(self, store: Store) -> None:
        everyone = {written(store, f"record {n}").id for n in range(7)}
        seen = set()
        while waiting := store.unembedded(SPACE, 2):
            assert len(waiting) <= 2
            for record in waiting:
                place(store, record, 0)
                seen.add(record.id)
        assert seen == everyone

    def test_the_nearest_come_first(self, store: Store) -> None:
        for degrees in (80, 10, 150, 45):
            pointed(store, degrees)
        found = near(store)
        assert [match.record.text for match in found] == [
            "10 degrees", "45 degrees", "80 degrees", "150 degrees"
        ]  # fmt: skip
        for match, degrees in zip(found, (10, 45, 80, 150), strict=True):
            assert match.cosine is not None
            assert math.isclose(match.cosine, math.cos(math.radians(degrees)), abs_tol=0.01)
        assert [match.record.text for match in near(store, limit=1)] == ["10 degrees"]

    def test_words_and_nearness_each_bring_their_own(self, store: Store) -> None:
        pointed(store, 5)
        far = pointed(store, 170)
        words = written(store, "a kettle without a vector")
        found = {match.record.id: match for match in look_for(store, "kettle", vector=EAST)}
        assert found[words.id].cosine is None
        assert found[words.id].score > 0
        assert found[far.id].score == 0
        assert found[far.id].terms == ()
        both = look_for(store, "170", vector=EAST, limit=1)
        assert {match.record.text for match in both} == {"170 degrees", "5 degrees"}
        assert all(match.cosine is not None for match in both)

    def test_nearness_is_filtered_before_the_nearest_are_taken(self, store: Store) -> None:
        for degrees in range(40):
            pointed(store, degrees, kind="decision")
        pointed(store, 50, tags=("wanted",))
        pointed(store, 1, tags=("wanted",), expires_at=someday(-1))
        pointed(store, 2, tags=("wanted",), scope="user/ann")
        [match] = near(
            store, limit=1, where=parse({"tags": "wanted"}), live_at=someday(0),
            reach=sight_of("project/web"),
        )  # fmt: skip
        assert match.record.text == "50 degrees"

    def test_what_others_have_moves_nothing(self, store: Store) -> None:
        for degrees in (20, 70):
            pointed(store, degrees, scope="project/mine")
        mine = sight_of("project/mine")
        before = search(store, "", vector=EAST, reach=mine)
        assert before.general is not None
        for degrees in range(30):
            pointed(store, degrees, scope="project/theirs")
        assert search(store, "", vector=EAST, reach=mine) == before
        pointed(store, 0, scope="project/mine/agent/bob")
        part = sight_of("project/mine", subtree=False)
        assert search(store, "", vector=EAST, reach=part) == before

    def test_who_waits_is_told_to_who_can_see_it(self, store: Store) -> None:
        mine = sight_of("project/mine")
        assert not store.waits(SPACE, mine)
        pointed(store, 0, scope="project/mine")
        record = written(store, "a kettle", scope="project/theirs")
        assert not store.waits(SPACE, mine)
        assert store.waits(SPACE, sight_of("project/theirs"))
        assert store.waits("sundial", mine)
        store.embed(SPACE, [Embedded(record.id, record.rev, None)])
        assert not store.waits(SPACE, EVERYTHING)
        written(store, "a cup", scope="project/mine/task/t")
        assert store.waits(SPACE, mine)
        assert not store.waits(SPACE, sight_of("project/mine", subtree=False))

    def test_spaces_are_never_mixed(self, store: Store) -> None:
        record = pointed(store, 0)
        assert store.spaces() == [SPACE]
        other = Vector("sundial", packed((1.0, 0.0, 0.0)))
        assert look_for(store, "", vector=other) == []
        assert store.progress("sundial") == Progress(0, 1)
        store.embed("sundial", [Embedded(record.id, 1, packed((0.0, 1.0, 0.0)))])
        [match] = look_for(store, "", vector=other)
        assert match.cosine == pytest.approx(0, abs=0.01)
        assert near(store)[0].cosine == pytest.approx(1, abs=0.01)
        store.leave_space(SPACE)
        assert store.spaces() == ["sundial"]
        assert near(store) == []
        assert store.unembedded(SPACE, 10) == [record]

    def test_a_vector_that_is_none_is_refused(self, store: Store) -> None:
        record = pointed(store, 0)
        for values in (b"", b"abc", packed((0.0, 0.0)), packed((3.0, 4.0)),
                       packed((math.nan, 1.0)), packed((1.0, 0.0, 0.0))):  # fmt: skip
            with pytest.raises(InvalidInputError):
                store.embed(SPACE, [Embedded(record.id, 1, values)])
        assert near(store)[0].cosine == pytest.approx(1, abs=0.01)

    def test_a_record_that_goes_takes_its_vector_along(self, store: Store) -> None:
        kept, erased, hidden = (pointed(store, degrees) for degrees in (1, 2, 3))
        assert len(near(store)) == 3
        write(store, Erase(id=erased.id), Move(id=hidden.id, state=State.FORGOTTEN))
        assert [match.record.id for match in near(store)] == [kept.id]
        assert store.progress(SPACE) == Progress(1, 0)
        # What is written next waits for a vector of its own.
        again = written(store, "new")
        assert store.unembedded(SPACE, 10) == [again]
        place(store, again, 4)
        write(store, Erase(id=again.id))
        newer = written(store, "newer")
        assert store.unembedded(SPACE, 10) == [newer]

    def test_a_vector_of_other_dimensions_is_compared_with_nothing(self, store: Store) -> None:
        assert store.dimensions(SPACE) == 0
        pointed(store, 10)
        assert store.dimensions(SPACE) == 2
        deep = Vector(SPACE, packed((1.0, 0.0, 0.0)))
        found = search(store, "degrees", vector=deep)
        assert [match.cosine for match in found.matches] == [None]
        assert found.general is None
        assert "dimensions" in found.degraded[0]
        store.leave_space(SPACE)
        assert store.dimensions(SPACE) == 0
        assert not search(store, "degrees", vector=deep).degraded

    def test_indexing_anew_keeps_the_vectors(self, store: Store) -> None:
        pointed(store, 10)
        before = near(store)
        store.reindex(lambda record: (record.kind,))
        assert [match.cosine for match in near(store)] == [match.cosine for match in before]
        assert store.progress(SPACE) == Progress(1, 0)

    def test_indexing_anew_asks_again_for_what_was_refused(self, store: Store) -> None:
        kept, refused = written(store, "one"), written(store, "two")
        place(store, kept, 0)
        store.embed(SPACE, [Embedded(refused.id, refused.rev, None)])
        assert store.unembedded(SPACE, 10) == []
        store.reindex(lambda record: (record.text,))
        assert store.unembedded(SPACE, 10) == [refused]
        assert store.progress(SPACE) == Progress(1, 1)

    def test_a_match_says_how_much_of_the_question_it_holds(self, store: Store) -> None:
        for text in ("kettle", "cup", "kettle and cup", "tea", "teapot"):
            written(store, text)
        found = {match.record.text: match for match in look_for(store, "kettle cup")}
        assert found["kettle and cup"].coverage == pytest.approx(1)
        assert 0.3 < found["kettle"].coverage < 0.7
        unknown = {match.record.text: match for match in look_for(store, "kettle zebra")}
        assert unknown["kettle"].coverage < found["kettle"].coverage
        # Who types a piece of a word means the word.
        [piece] = look_for(store, "teapo zebra")
        assert 0.3 < piece.coverage < 0.7

    def test_folding_changes_no_answer(self, store: Store) -> None:
        written(store, "a kettle")
        before = look_for(store, "kettle")
        assert not store.fold_is_due()
        store.fold()
        assert look_for(store, "kettle") == before

    def test_a_duty_is_one_holders_at_a_time(self, store: Store) -> None:
        with store.duty("sweeping") as mine:
            assert mine
            with store.duty("sweeping") as again, store.duty("mopping") as other:
                assert not again
                assert other
        with store.duty("sweeping") as later:
            assert later


class PastEmbeddingClauses:
    """Vectors and the past."""

    def test_a_version_of_the_past_has_no_vector_any_more(self, store: Store) -> None:
        same, changed = pointed(store, 10), pointed(store, 20, key="k")
        then = {"project/web": 2}
        write(store, a_put("21 degrees", key="k"))
        place(store, the(store, changed.id), 21)
        found = {match.record.id: match for match in near(store, as_of=then)}
        assert found[same.id].cosine is not None
        assert changed.id not in found
        by_words = look_for(store, "degrees", vector=EAST, as_of=then)
        assert {match.record.text: match.cosine is None for match in by_words} == {
            "10 degrees": False, "20 degrees": True
        }  # fmt: skip


class AroundClauses:
    """What was said around a match, in a store that keeps the layers which are told in order."""

    def test_what_was_said_around_a_match_comes_along(self, store: Store) -> None:
        scope = "project/web/session/s1"
        said = [
            written(store, text, scope=scope, layer="session", kind="user")
            for text in ("well", "hello", "where is the kettle", "on the stove", "thanks", "bye")
        ]
        written(store, "beside it", scope="project/web/session/s2", layer="session", kind="user")
        found = {match.record.id: match for match in look_for(store, "kettle", around=True)}
        assert set(found) == {record.id for record in said[:4]}
        assert found[said[0].id].before is None
        for earlier, later in pairwise(said[:4]):
            assert found[later.id].before == earlier.id
        assert found[said[3].id].score == 0
        assert len(look_for(store, "kettle")) == 1
        one = look_for(store, "bye", around=True)
        assert {match.record.text: match.before for match in one} == {
            "on the stove": None, "thanks": said[3].id, "bye": said[4].id
        }  # fmt: skip

    def test_only_what_may_be_found_stands_around(self, store: Store) -> None:
        scope = "project/web/session/s1"
        said = [
            written(store, text, scope=scope, layer="session", kind=kind)
            for text, kind in (("one", "user"), ("two", "tool_call"), ("a kettle", "user"))
        ]
        where = parse({"kind": "user"})
        found = {
            m.record.text: m.before for m in look_for(store, "kettle", around=True, where=where)
        }
        assert found == {"one": None, "a kettle": said[0].id}
        # Records of other layers stand for themselves.
        written(store, "before")
        written(store, "a teapot")
        assert len(look_for(store, "teapot", around=True)) == 1


class LastingSearchClauses:
    """What has run out, in a store that keeps it."""

    def test_what_has_run_out_is_left_out_and_counted(self, store: Store) -> None:
        written(store, "a kettle")
        written(store, "an old kettle", expires_at=after_noon(-1))
        written(store, "an old cup", expires_at=after_noon(-1))
        assert search(store, "kettle", live_at=after_noon(0)).expired == 1
        assert search(store, "kettle", live_at=after_noon(-2)).expired == 0
        assert search(store, "kettle").expired == 0
        # However many are looked through, only what would be among the best counts.
        written(store, "an old kettle, with much more to say about this and that", expires_at=NOON)
        expired = {
            limit: search(store, "kettle", live_at=NOON, limit=limit).expired
            for limit in (None, 10, 2, 1, 0)
        }
        assert expired == {None: 2, 10: 2, 2: 2, 1: 0, 0: 0}
        written(store, "kettle kettle", expires_at=NOON)
        assert search(store, "kettle", live_at=NOON, limit=1).expired == 1
