"""Clauses on the life of a record: forgotten, restored, undone, adopted, witnessed."""

from dataclasses import replace

import pytest

from lamina.core.access import EVERYTHING
from lamina.core.changes import Action, Adopt, Move, Witness
from lamina.core.indexing import index_terms
from lamina.core.record import Record, State
from lamina.errors import ConflictError, NotFoundError
from lamina.stores.base import Store
from lamina.testing.builders import (
    NOON,
    WEB,
    a_put,
    a_record,
    after_noon,
    an_id,
    ask,
    found,
    picture,
    place_at,
    texts,
    the,
    write,
    written,
)

SEARCHED = (State.CURRENT, State.PROPOSED, State.ARCHIVED)


def _move(record: Record, state: State, expect: int | None = None) -> Move:
    terms = index_terms(record, record.key)
    return Move(id=record.id, state=state, expect=expect, terms=terms)


def _adopt(record: Record) -> Adopt:
    return Adopt(record=record, terms=index_terms(record, record.key))


class LifeClauses:
    """Another state for a record, and back."""

    def test_forgetting_hides_and_restoring_brings_back(self, store: Store) -> None:
        record = written(store, "where the kettle is", key="kettle")
        place = place_at("kettle")
        receipt = write(store, _move(record, State.FORGOTTEN), at=after_noon(1))
        assert (receipt.action, receipt.rev) == (Action.MOVED, 2)
        assert the(store, record.id).updated_at == after_noon(1)
        assert store.find(EVERYTHING, place) is None
        assert ask(store, live_at=after_noon(1)) == []
        write(store, _move(record, State.CURRENT))
        assert store.find(EVERYTHING, place) == the(store, record.id)
        assert texts(ask(store, live_at=after_noon(1))) == ["where the kettle is"]
        assert found(store, "kettle", live_at=after_noon(1)) == ["where the kettle is"]

    def test_the_index_holds_exactly_the_states_that_are_searched(self, store: Store) -> None:
        record = written(store, "a wandering kettle")
        for state in (*State, *reversed(State)):
            write(store, _move(record, state))
            expected = ["a wandering kettle"] if state in SEARCHED else []
            assert found(store, "wandering") == expected, state

    def test_moving_to_the_state_it_has_changes_nothing(self, store: Store) -> None:
        record = written(store)
        before = picture(store)
        assert write(store, _move(record, State.CURRENT)).action is Action.UNCHANGED
        assert picture(store) == before

    def test_a_key_taken_meanwhile_blocks_restoring(self, store: Store) -> None:
        first = written(store, "the first", key="k")
        write(store, _move(first, State.FORGOTTEN))
        second = written(store, "the second", key="k")
        before = picture(store)
        with pytest.raises(ConflictError):
            write(store, _move(first, State.CURRENT))
        with pytest.raises(ConflictError):
            write(store, a_put("the third", revises=first.id, expect=2, state=State.CURRENT))
        assert picture(store) == before
        write(store, _move(second, State.ARCHIVED), _move(first, State.CURRENT))
        assert texts(ask(store, {"state": "current"})) == ["the first"]

    def test_undoing_writes_the_earlier_version_again(self, store: Store) -> None:
        first = written(store, "before", key="k", tags=("old",))
        write(store, a_put("after", key="k", tags=("new",)))
        assert (found(store, "before"), found(store, "after")) == ([], ["after"])
        undo = a_put("before", tags=("old",), revises=first.id, expect=2, state=State.CURRENT)
        assert write(store, undo).rev == 3
        record = the(store, first.id)
        assert (record.content, record.state) == (first.content, State.CURRENT)
        assert found(store, "before") == ["before"]
        assert found(store, "after") == []
        with pytest.raises(ConflictError):
            write(store, undo)

    def test_a_witness_is_noted_and_changes_nothing(self, store: Store) -> None:
        record = written(store, key="k")
        receipt = write(store, Witness(id=record.id))
        assert (receipt.action, receipt.rev) == (Action.WITNESSED, 1)
        assert the(store, record.id) == record
        assert [event.action for event in store.events(WEB)] == [Action.CREATED, Action.WITNESSED]
        assert store.find(EVERYTHING, place_at("k")) == record
        assert found(store, "plain") == ["a plain fact"]

    def test_what_is_not_there_cannot_be_changed(self, store: Store) -> None:
        nobody = a_record()
        for change in (
            _move(nobody, State.CURRENT),
            a_put(revises=nobody.id),
            Witness(id=nobody.id),
        ):
            with pytest.raises(NotFoundError):
                write(store, change)
        assert picture(store)["events"] == {}


class AdoptionClauses:
    """Versions that come from elsewhere, by import or restore."""

    def test_adopting_keeps_revision_and_times(self, store: Store) -> None:
        record = a_record(
            "from elsewhere", rev=7, created_at=after_noon(-900), updated_at=after_noon(-30)
        )
        receipt = write(store, _adopt(record))
        assert (receipt.action, receipt.rev) == (Action.ADOPTED, 7)
        assert the(store, record.id) == record
        assert found(store, "elsewhere") == ["from elsewhere"]
        newer = replace(record, text="newer", rev=9, updated_at=after_noon(-5))
        write(store, _adopt(newer))
        assert the(store, record.id) == newer
        assert [v.event.rev for v in store.versions(EVERYTHING, record.id)] == [7, 9]
        assert write(store, a_put("edited here", revises=record.id, expect=9)).rev == 10

    def test_adopting_never_brings_a_newer_version_down(self, store: Store) -> None:
        record = written(store, "one", key="k")
        write(store, a_put("two", key="k"))
        before = picture(store)
        assert write(store, _adopt(record)).action is Action.UNCHANGED
        assert write(store, _adopt(the(store, record.id))).action is Action.UNCHANGED
        assert picture(store) == before

    def test_adopting_refuses_another_text_under_the_same_revision(self, store: Store) -> None:
        record = written(store, "one", data={"n": 1})
        before = picture(store)
        for other in (replace(record, text="other"), replace(record, data={"n": True})):
            with pytest.raises(ConflictError):
                write(store, _adopt(other))
        assert picture(store) == before

    def test_adopting_refuses_another_record_under_a_known_id(self, store: Store) -> None:
        record = written(store, "one", key="k")
        before = picture(store)
        newer = replace(record, rev=5, text="five")
        for other in (
            replace(newer, scope="project/other"),
            replace(newer, layer="blackboard"),
            replace(newer, key="other"),
            replace(newer, created_at=after_noon(-1)),
        ):
            with pytest.raises(ConflictError):
                write(store, _adopt(other))
        assert picture(store) == before
        assert write(store, _adopt(newer)).rev == 5

    def test_adopting_where_the_key_is_taken_makes_a_proposal(self, store: Store) -> None:
        written(store, "here already", key="k")
        other = a_record("from elsewhere", key="k", rev=3)
        receipt = write(store, _adopt(other))
        assert receipt.outcomes[0].state is State.PROPOSED
        assert the(store, other.id) == replace(other, state=State.PROPOSED)
        assert texts(ask(store, live_at=NOON)) == ["here already"]

    def test_an_adopted_record_takes_its_place(self, store: Store) -> None:
        record = a_record("from elsewhere", id=an_id(), key="k", rev=2)
        write(store, _adopt(record))
        assert store.find(EVERYTHING, place_at("k")) == record
        write(store, _adopt(replace(record, rev=3, state=State.FORGOTTEN)))
        assert store.find(EVERYTHING, place_at("k")) is None
        assert found(store, "elsewhere") == []


class LayeredLifeClauses:
    """What layers declare of slots and versions, in a store that keeps them all."""

    def test_a_new_kind_may_not_take_a_slot_that_is_held(self, store: Store) -> None:
        written(store, "a decision", kind="decision", key="k")
        fact = written(store, "a fact", kind="fact", key="k")
        with pytest.raises(ConflictError):
            write(store, a_put("decided", kind="decision", revises=fact.id, expect=1))
        assert the(store, fact.id).kind == "fact"

    def test_adopting_does_not_rewrite_what_is_append_only(self, store: Store) -> None:
        record = written(store, "as it happened", layer="episode", kind="failed", data={"n": 1})
        before = picture(store)
        for other in ({"text": "as it suits"}, {"data": {"n": 2}}, {"tags": ("x",)}):
            with pytest.raises(ConflictError):
                write(store, _adopt(replace(record, rev=2, **other)))
        assert picture(store) == before
        archived = replace(record, rev=2, state=State.ARCHIVED, updated_at=after_noon(5))
        write(store, _adopt(archived))
        assert the(store, record.id) == archived
