"""Clauses on what a store keeps: settings, sealed values, reopening, sharing."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from lamina.core.changes import Action, Erase, Move
from lamina.core.indexing import index_terms
from lamina.core.layers import Durability
from lamina.core.record import State
from lamina.core.sealed import Sealed
from lamina.errors import ConflictError, LaminaError
from lamina.stores.base import WHOLE, Capability, Severity, Store
from lamina.testing.builders import (
    WEB,
    a_principal,
    a_put,
    after_noon,
    an_id,
    ask,
    breaks,
    found,
    home,
    picture,
    texts,
    write,
    written,
)
from lamina.testing.contract.counting import DurableCountingClauses, SharedCountingClauses
from lamina.testing.contract.feeding import LONG
from lamina.testing.contract.noting import SharedNotingClauses


def _box(letter: str) -> Sealed:
    return Sealed("secret://" + letter * 26, "token", letter.encode() * 12, b"\x00\xff" + b"box")


def _fill(store: Store) -> None:
    """A bit of everything that a store keeps."""
    first = written(store, "one kettle", key="k", sealed=(_box("a"),), data={"n": [1, 2.5, None]})
    write(store, a_put("two kettles", key="k"), at=after_noon(1))
    write(store, a_put("a hidden cup", scope="user/ann", key="c"), idempotency_key="r", request="x")
    hidden = written(store, "forgotten", tags=("t",))
    write(store, Move(id=hidden.id, state=State.FORGOTTEN))
    write(store, a_put("a signal", layer="blackboard", kind="signal", key="s"))
    gone = written(store, "erased")
    write(store, Erase(id=gone.id))
    store.configure("knowledge.ties", "review")
    assert picture(store)["erased"] == {gone.id} != {first.id}


class KeepingClauses:
    """Settings, sealed values, threads, and a clean bill of health."""

    def test_settings_are_kept(self, store: Store) -> None:
        assert "knowledge.ties" not in store.settings()
        store.configure("knowledge.ties", "review")
        store.configure("knowledge.accept", "review")
        store.configure("knowledge.ties", "newest")
        settings = store.settings()
        assert (settings["knowledge.ties"], settings["knowledge.accept"]) == ("newest", "review")
        store.configure("knowledge.ties", None)
        store.configure("knowledge.floor", None)
        assert "knowledge.ties" not in store.settings()
        assert store.settings()["knowledge.accept"] == "review"

    def test_sealed_values_come_back_as_they_were(self, store: Store) -> None:
        record = written(store, "one", key="k", sealed=(_box("a"), _box("b")))
        write(store, a_put("two", key="k", sealed=(_box("b"), _box("c"))))
        other = written(store, "other", sealed=(_box("d"),))
        kept = sorted(store.sealed(record.id), key=lambda sealed: sealed.ref)
        assert kept == [_box("a"), _box("b"), _box("c")]
        assert store.sealed(other.id) == [_box("d")]
        assert store.sealed(an_id(1)) == []

    def test_a_store_knows_whether_anything_is_sealed(self, store: Store) -> None:
        written(store, "plain")
        assert not store.has_sealed()
        record = written(store, "sealed", sealed=(_box("a"),))
        assert store.has_sealed()
        write(store, Erase(id=record.id))
        assert not store.has_sealed()

    def test_a_healthy_store_has_nothing_to_report(self, store: Store) -> None:
        _fill(store)
        write(store, a_put("shares", key="z", importance=-0.0, confidence=-0.0))
        findings = store.check()
        assert findings
        assert [one for one in findings if one.severity is not Severity.OK] == []

    def test_a_repair_of_a_healthy_store_changes_no_answer(self, store: Store) -> None:
        _fill(store)
        before, told = picture(store), [0.0]
        repaired = store.repair(lambda record: index_terms(record, record.key), told.append)
        assert (repaired.done, told[-1]) == ((), 1.0)
        assert picture(store) == before
        assert repaired.indexed == store.reindex(lambda record: index_terms(record, record.key))
        assert {one.severity for one in store.check()} == {Severity.OK}

    def test_closing_twice_is_fine(self, store: Store) -> None:
        written(store)
        store.flush()
        store.close()
        store.close()

    def test_a_receipt_claims_only_what_the_store_declares(self, store: Store) -> None:
        claimed = {
            write(store, a_put(layer=layer, kind="x")).durability
            for layer in (home().name, "blackboard")
        }
        mixed = write(store, a_put(), a_put(layer="blackboard")).durability
        if Capability.DURABLE not in store.capabilities:
            assert claimed == {Durability.EPHEMERAL}
        elif Capability.SYNCED in store.capabilities:
            assert claimed == {Durability.SYNCED, Durability.COMMITTED}
            # One store writes a commit as a whole; of two, the lesser promise holds.
            assert mixed is (Durability.SYNCED if store.capabilities >= WHOLE else min(claimed))
        else:
            assert Durability.SYNCED not in claimed


class AuditClauses:
    """What an audit looks at."""

    def test_a_whole_log_passes_an_audit_of_all_and_of_each_stream(self, store: Store) -> None:
        assert {one.severity for one in store.audit()} == {Severity.OK}
        _fill(store)
        for streams in (None, store.streams(), [WEB], ["user/ann"], ["project/unknown"], []):
            findings = store.audit(streams)
            assert {one.severity for one in findings} == {Severity.OK}
            assert {"chain", "versions", "digests"} <= {one.check for one in findings}


class DurableContract(DurableCountingClauses):
    """For stores that declare `DURABLE`.

    The fixture `reopened` is a function that closes a store and opens it anew.
    """

    @pytest.fixture
    def reopened(self) -> Callable[[Store], Store]:
        """Supplied by the subclass."""
        raise NotImplementedError

    def test_reopening_shows_the_same(
        self, store: Store, reopened: Callable[[Store], Store]
    ) -> None:
        assert Capability.DURABLE in store.capabilities
        _fill(store)
        identity, before = store.identity, picture(store)
        after = reopened(store)
        assert picture(after) == before
        assert (after.location, after.identity) == (store.location, identity)

    def test_a_receipt_outlives_the_process(
        self, store: Store, reopened: Callable[[Store], Store]
    ) -> None:
        first = write(store, a_put("once"), idempotency_key="r-1", request="asked")
        after = reopened(store)
        again = write(after, a_put("once"), idempotency_key="r-1", request="asked")
        assert (again.id, again.tx, again.repeated) == (first.id, first.tx, True)
        with pytest.raises(ConflictError):
            write(after, a_put("once"), idempotency_key="r-1", request="asked otherwise")

    def test_writing_goes_on_where_it_stopped(
        self, store: Store, reopened: Callable[[Store], Store]
    ) -> None:
        _fill(store)
        before = store.events(WEB)
        after = reopened(store)
        receipt = write(after, a_put("three kettles", key="k"), at=after_noon(-9))
        assert (receipt.rev, receipt.action) == (3, Action.REVISED)
        *earlier, newest = after.events(WEB)
        assert earlier == before
        assert newest.seq == len(before) + 1
        assert breaks(after, [*earlier, newest]) == []
        assert found(after, "kettles three") == ["three kettles"]
        assert {one.severity for one in after.check()} == {Severity.OK}

    def test_a_closed_store_takes_no_writes(self, store: Store) -> None:
        store.close()
        with pytest.raises(LaminaError):
            write(store, a_put())


class SharedContract(SharedNotingClauses, SharedCountingClauses):
    """For stores that declare `MANY_PROCESSES`.

    The fixture `another` is a function that opens one more store on the same place.
    """

    @pytest.fixture
    def another(self) -> Callable[[], Store]:
        """Supplied by the subclass."""
        raise NotImplementedError

    def test_two_stores_on_one_place_see_each_other(
        self, store: Store, another: Callable[[], Store]
    ) -> None:
        assert Capability.MANY_PROCESSES in store.capabilities
        other = another()
        for number in range(10):
            one, two = (store, other) if number % 2 else (other, store)
            write(one, a_put(f"value {number}", key="k"), a_put(f"w{number}w"))
            assert texts(ask(two, {"key": "k"})) == [f"value {number}"]
            assert found(two, f"w{number}w") == [f"w{number}w"]
        assert picture(store) == picture(other)
        assert [event.seq for event in store.events(WEB)] == list(range(1, 21))
        assert breaks(store, store.events(WEB)) == []

    def test_a_setting_holds_for_all_at_once(
        self, store: Store, another: Callable[[], Store]
    ) -> None:
        other = another()
        write(other, a_put("ann's", key="k", source="ann"))
        store.configure("knowledge.ties", "review")
        receipt = write(other, a_put("bob's", key="k", source="bob"), by=a_principal("bob"))
        assert receipt.action is Action.PROPOSED
        assert other.settings()["knowledge.ties"] == "review"

    def test_a_receipt_is_known_to_all(self, store: Store, another: Callable[[], Store]) -> None:
        other = another()
        first = write(store, a_put("once"), idempotency_key="r-1", request="asked")
        again = write(other, a_put("once"), idempotency_key="r-1", request="asked")
        assert (again.tx, again.repeated) == (first.tx, True)

    def test_a_commit_of_another_wakes_those_who_wait(
        self, store: Store, another: Callable[[], Store]
    ) -> None:
        other = another()
        write(store, a_put("first"))
        pulse = store.pulse()
        write(other, a_put("second"))
        assert store.wait(pulse, LONG)
        pulse = store.pulse()
        with ThreadPoolExecutor(2) as pool:
            waits = [pool.submit(store.wait, pulse, LONG) for _ in range(2)]
            write(other, a_put("third"))
            assert [wait.result() for wait in waits] == [True] * 2
        assert other.identity == store.identity
