"""Clauses on counts of use: what is added up, who sees it, and when it goes."""

from collections.abc import Callable

from lamina.core.access import EVERYTHING, Grant, Reach
from lamina.core.changes import Erase, Move
from lamina.core.record import State
from lamina.core.usage import Usage
from lamina.stores.base import Severity, Store
from lamina.testing.builders import (
    NOON,
    WEB,
    a_put,
    after_noon,
    an_id,
    picture,
    sight_of,
    write,
    written,
)

_OTHER = "project/other"


class CountingClauses:
    """Use is counted beside the records, and changes none of them."""

    def test_use_adds_up_and_the_latest_counts(self, store: Store) -> None:
        one, two, never = (written(store, text) for text in ("one", "two", "never"))
        store.note_use({one.id: 1, two.id: 3}, after_noon(2))
        store.note_use({one.id: 2}, after_noon(9))
        store.note_use({one.id: 1}, after_noon(5))
        expected = {one.id: Usage(4, after_noon(9)), two.id: Usage(3, after_noon(2))}
        asked = [one.id, two.id, never.id, an_id(1)]
        assert store.usage(EVERYTHING, asked) == expected
        store.flush()
        assert store.usage(EVERYTHING, asked) == expected
        store.note_use({two.id: 1}, after_noon(4))
        store.flush()
        assert store.usage(EVERYTHING, [two.id]) == {two.id: Usage(4, after_noon(4))}
        assert store.usage(EVERYTHING, []) == {}

    def test_use_changes_nothing_else(self, store: Store) -> None:
        record = written(store, "the kettle", key="k")
        before = picture(store)
        store.note_use({record.id: 5}, NOON)
        store.flush()
        assert picture(store) == before
        assert {one.severity for one in store.check()} == {Severity.OK}

    def test_use_stays_with_a_record_through_its_versions(self, store: Store) -> None:
        record = written(store, "one kettle", key="k")
        store.note_use({record.id: 1}, NOON)
        write(store, a_put("two kettles", key="k"))
        write(store, Move(id=record.id, state=State.FORGOTTEN))
        assert store.usage(EVERYTHING, [record.id]) == {record.id: Usage(1, NOON)}

    def test_use_is_seen_by_those_who_see_the_record(self, store: Store) -> None:
        record = written(store, "the kettle", scope=f"{WEB}/agent/finn")
        store.note_use({record.id: 2}, NOON, WEB)
        flushed = Reach((Grant(frozenset(("log",)), WEB),))
        for _ in range(2):
            assert store.usage(sight_of(WEB), [record.id]) == {record.id: Usage(2, NOON)}
            for reach in (sight_of(WEB, subtree=False), sight_of(_OTHER), flushed, Reach(())):
                assert store.usage(reach, [record.id]) == {}
            store.flush()

    def test_use_of_what_is_global_is_not_seen_in_other_projects(self, store: Store) -> None:
        record = written(store, "for everyone", scope="global")
        for root, hits in ((WEB, 1), (_OTHER, 10), ("", 100)):
            store.note_use({record.id: hits}, NOON, root)
        web, other = sight_of(WEB, "global"), sight_of(_OTHER, "global")
        for _ in range(2):
            assert store.usage(web, [record.id])[record.id].hits == 101
            assert store.usage(other, [record.id])[record.id].hits == 110
            assert store.usage(EVERYTHING, [record.id])[record.id].hits == 111
            store.flush()

    def test_an_erase_takes_the_counts_of_its_record_along(self, store: Store) -> None:
        gone, stays = written(store, "gone"), written(store, "stays")
        store.note_use({gone.id: 1, stays.id: 1}, NOON)
        store.flush()
        store.note_use({gone.id: 1, stays.id: 1}, NOON)
        write(store, Erase(id=gone.id))
        store.note_use({gone.id: 1}, NOON)
        store.flush()
        expected = {stays.id: Usage(2, NOON)}
        assert store.usage(EVERYTHING, [gone.id, stays.id]) == expected
        assert {one.severity for one in store.check()} == {Severity.OK}


class DurableCountingClauses:
    """What holds for counts in a store that outlives its process."""

    def test_use_outlives_the_process(
        self, store: Store, reopened: Callable[[Store], Store]
    ) -> None:
        record = written(store, "the kettle")
        store.note_use({record.id: 2}, NOON, WEB)
        after = reopened(store)
        after.note_use({record.id: 1}, after_noon(1))
        again = reopened(after)
        assert again.usage(EVERYTHING, [record.id]) == {record.id: Usage(3, after_noon(1))}
        assert again.usage(sight_of(_OTHER, WEB), [record.id])[record.id].hits == 3


class SharedCountingClauses:
    """What holds for counts when several stores are open on one place."""

    def test_use_reaches_the_others(self, store: Store, another: Callable[[], Store]) -> None:
        other, record = another(), written(store, "the kettle")
        for one in (store, other, store):
            one.note_use({record.id: 1}, NOON, WEB)
            one.flush()
        for one in (store, other):
            assert one.usage(EVERYTHING, [record.id]) == {record.id: Usage(3, NOON)}
