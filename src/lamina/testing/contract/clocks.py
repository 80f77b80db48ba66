"""Clauses on time: what a store takes a clock's word for."""

from datetime import timedelta

from lamina.core.changes import Move
from lamina.core.instants import to_text
from lamina.core.record import State
from lamina.core.timekeeping import ACCEPT, LEAP
from lamina.stores.base import Store
from lamina.testing.builders import NOON, WEB, a_put, after_noon, breaks, the, write, written

TEN_YEARS = timedelta(days=3652)


class ClockClauses:
    """A clock within reason is believed; one that is years off moves nothing."""

    def test_a_store_knows_when_its_newest_change_was(self, store: Store) -> None:
        assert store.newest_instant() is None
        written(store, "one", scope="user/ann")
        assert store.newest_instant() == NOON
        write(store, a_put("two", scope="user/zoe"), at=after_noon(5))
        write(store, a_put("three", scope="user/ann"), at=after_noon(2))
        assert store.newest_instant() == after_noon(5)

    def test_time_stands_still_while_a_clock_is_years_ahead(self, store: Store) -> None:
        record = written(store, "one", key="k")
        write(store, a_put("two", key="k"), at=NOON + TEN_YEARS)
        write(store, Move(id=record.id, state=State.ARCHIVED), at=NOON + LEAP + timedelta(1))
        write(store, a_put("back again"), at=after_noon(3))
        assert [event.at for event in store.events(WEB)] == [NOON, NOON, NOON, after_noon(3)]
        assert the(store, record.id).updated_at == NOON
        assert breaks(store, store.events(WEB)) == []

    def test_a_clock_within_reason_is_believed(self, store: Store) -> None:
        written(store, "one")
        write(store, a_put("after a long pause", scope="user/ann"), at=NOON + LEAP)
        write(store, a_put("after another", scope="user/ann"), at=NOON + 2 * LEAP)
        assert store.newest_instant() == NOON + 2 * LEAP

    def test_a_clock_that_someone_vouched_for_is_believed(self, store: Store) -> None:
        written(store, "one")
        store.configure(ACCEPT, to_text(NOON + TEN_YEARS))
        later = NOON + TEN_YEARS + timedelta(days=1)
        write(store, a_put("two"), at=later)
        write(store, a_put("three", scope="user/ann"), at=later + TEN_YEARS)
        assert store.newest_instant() == later

    def test_a_new_stream_asks_the_whole_store_for_the_time(self, store: Store) -> None:
        written(store, "one", scope="user/ann")
        write(store, a_put("two", scope="user/ann"), at=after_noon(5))
        ahead = write(store, a_put("three", scope="user/zoe"), at=NOON + TEN_YEARS)
        behind = write(store, a_put("four", scope="user/bob"), at=NOON - TEN_YEARS)
        assert the(store, ahead.id).created_at == after_noon(5)
        assert the(store, behind.id).created_at == after_noon(5)

    def test_a_quiet_stream_takes_the_word_of_the_others(self, store: Store) -> None:
        written(store, "one", scope="user/ann")
        for years in (1, 2, 3):
            at = NOON + timedelta(days=360 * years)
            write(store, a_put("on and on", scope="user/zoe"), at=at)
        receipt = write(store, a_put("after years", scope="user/ann"), at=at)
        assert the(store, receipt.id).created_at == at
