"""Clauses on the past: what of it may be dropped, and what never."""

from datetime import datetime
from typing import Any

from lamina.core.access import EVERYTHING
from lamina.core.changes import Action, Adopt, Erase, Move, Witness
from lamina.core.record import Record, State
from lamina.core.retention import Cut, Pruned, Retention
from lamina.stores.base import Severity, Store
from lamina.testing.builders import (
    WEB,
    a_put,
    a_record,
    after_noon,
    breaks,
    found,
    home,
    picture,
    the,
    write,
    written,
)


def _versions(store: Store, number: int, **fields: Any) -> Record:
    """A record that was written anew every minute."""
    record = written(store, "value 1", **{"key": "k", **fields})
    for minute in range(1, number):
        write(store, a_put(f"value {minute + 1}", **{"key": "k", **fields}), at=after_noon(minute))
    return the(store, record.id)


def _kept(store: Store, record: Record) -> list[int]:
    versions = store.versions(EVERYTHING, record.id)
    return sorted({version.record.rev for version in versions if version.record})


def _cut(versions: int | None = None, before: datetime | None = None) -> Retention:
    return Retention((Cut(home().name, versions, before),))


def _pruned(kept: int, gone: int = 0, receipts: int = 0) -> Pruned:
    return Pruned({home().name: kept}, {home().name: gone} if gone else {}, receipts)


class PruningClauses:
    """Only what was replaced goes, only as far as it is let go, and the log stays whole."""

    def test_pruning_drops_what_was_replaced_before_an_instant(self, store: Store) -> None:
        record = _versions(store, 5)
        # Versions 1 to 4 were replaced at minute 1 to 4: the instant itself still stays.
        assert store.prune(_cut(before=after_noon(3))) == _pruned(5, 2)
        assert _kept(store, record) == [3, 4, 5]
        assert store.prune(_cut(before=after_noon(3))) == _pruned(3)

    def test_pruning_keeps_so_many_earlier_versions(self, store: Store) -> None:
        record = _versions(store, 6)
        other = _versions(store, 2, key="other")
        store.prune(_cut(versions=2))
        assert _kept(store, record) == [4, 5, 6]
        assert _kept(store, other) == [1, 2]

    def test_pruning_never_takes_the_newest_version(self, store: Store) -> None:
        record = _versions(store, 3)
        hidden = written(store, "hidden")
        write(store, Move(id=hidden.id, state=State.FORGOTTEN))
        before = the(store, record.id)
        store.prune(_cut(versions=0, before=after_noon(10_000)))
        assert _kept(store, record) == [3]
        assert the(store, record.id) == before
        assert the(store, hidden.id).state is State.FORGOTTEN
        assert found(store, "value") == ["value 3"]

    def test_what_goes_depends_on_when_it_was_replaced_and_not_on_its_own_times(
        self, store: Store
    ) -> None:
        adopted = a_record("from elsewhere", key="k", rev=4, updated_at=after_noon(-9000))
        write(store, Adopt(record=adopted), at=after_noon(1))
        write(store, Witness(id=adopted.id), at=after_noon(2))
        write(store, a_put("here", key="k"), at=after_noon(3))
        assert store.prune(_cut(before=after_noon(3))).gone == {}
        assert _kept(store, adopted) == [4, 5]
        assert store.prune(_cut(before=after_noon(3.1))) == _pruned(2, 1)

    def test_events_stay_when_their_versions_go(self, store: Store) -> None:
        record = _versions(store, 4)
        before = store.events(WEB)
        store.prune(_cut(versions=0))
        assert store.events(WEB) == before
        assert breaks(store, before) == []
        shown = store.versions(EVERYTHING, record.id)
        assert [(v.event.rev, v.record is None) for v in shown] == [
            (1, True), (2, True), (3, True), (4, False),
        ]  # fmt: skip

    def test_pruning_leaves_other_layers_alone(self, store: Store) -> None:
        here = _versions(store, 3)
        signal = _versions(store, 3, layer="blackboard", kind="signal")
        retention = Retention((Cut(home().name, 0), Cut("blackboard")))
        pruned = store.prune(retention)
        assert pruned == Pruned({home().name: 3, "blackboard": 3}, {home().name: 2})
        assert (_kept(store, here), _kept(store, signal)) == ([3], [1, 2, 3])

    def test_a_count_of_what_would_go_changes_nothing_and_comes_true(self, store: Store) -> None:
        for number in range(3):
            _versions(store, 3 + number, key=f"k{number}", scope=f"user/u{number}")
        write(store, a_put("once"), idempotency_key="r", request="x")
        before = picture(store)
        retention = Retention((Cut(home().name, 2, after_noon(2)),), after_noon(1))
        foretold = store.prunable(retention)
        assert picture(store) == before
        assert foretold == _pruned(13, 4, 1)
        assert store.prune(retention) == foretold

    def test_a_pruned_record_goes_on(self, store: Store) -> None:
        record = _versions(store, 4)
        store.prune(_cut(versions=1))
        receipt = write(store, a_put("value 5", key="k"), at=after_noon(9))
        assert (receipt.id, receipt.rev, receipt.action) == (record.id, 5, Action.REVISED)
        assert _kept(store, record) == [3, 4, 5]
        assert {one.severity for one in store.check()} == {Severity.OK}
        write(store, Erase(id=record.id))
        assert store.versions(EVERYTHING, record.id)[0].record is None
        assert {one.severity for one in store.check()} == {Severity.OK}

    def test_receipts_go_when_the_log_says_they_are_old(self, store: Store) -> None:
        for minute in range(3):
            asked = {"idempotency_key": f"r{minute}", "request": "asked", "at": after_noon(minute)}
            write(store, a_put(f"asked {minute}"), **asked)
        write(store, a_put("asked 0", key="k"), at=after_noon(3))
        same = write(store, a_put("asked 0", key="k"), idempotency_key="idle", request="asked")
        assert same.action is Action.UNCHANGED
        assert store.prune(Retention((), after_noon(1))).receipts == 1
        again = [
            write(store, a_put("again"), idempotency_key=key, request="asked", at=after_noon(4))
            for key in ("r0", "r1", "r2", "idle")
        ]
        assert [one.repeated for one in again] == [False, True, True, True]

    def test_a_store_may_keep_more_history_than_the_layer_declares(self, store: Store) -> None:
        store.configure("history.working", "all")
        record = _versions(store, 20, layer="working", kind="plan")
        assert len(_kept(store, record)) == 20
        store.configure("history.working", "3")
        write(store, a_put("one more", layer="working", kind="plan", key="k"))
        assert len(_kept(store, record)) == 4

    def test_a_write_drops_nothing_that_the_layer_keeps(self, store: Store) -> None:
        store.configure("history.blackboard", "3")
        # Fewer than declared is what maintenance brings about, never a write.
        record = _versions(store, 20, layer="blackboard", kind="signal")
        assert len(_kept(store, record)) == 20

    def test_tidying_changes_nothing_that_can_be_read(self, store: Store) -> None:
        _versions(store, 3)
        before = picture(store)
        assert store.tidy()
        assert picture(store) == before
