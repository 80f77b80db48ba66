"""Clauses on what runs out by itself, by the clock of the world."""

import time
from collections.abc import Callable
from datetime import timedelta

import pytest

from lamina import clock
from lamina.core.access import EVERYTHING
from lamina.core.changes import Action
from lamina.core.record import Record
from lamina.errors import NotFoundError
from lamina.stores.base import Capability, Severity, Store
from lamina.stores.questions import Query
from lamina.testing.builders import a_put, ask, found, picture, place_at, texts, write, written

_SOON = timedelta(milliseconds=800)
"""Long enough for the few calls that have to come before the end, on a busy machine too."""
_LONG = 10.0
"""Seconds; what is there for so long does not run out."""


def _until(happens: Callable[[], bool]) -> None:
    end = clock.stopwatch() + _LONG
    while not happens():
        assert clock.stopwatch() < end, "it has not run out"
        time.sleep(0.005)


def _short_lived(store: Store, text: str, key: str) -> Record:
    now = clock.now()
    receipt = write(store, a_put(text, key=key, expires_at=now + _SOON), at=now)
    assert receipt.action is Action.CREATED
    return a_known(store, receipt.id) or pytest.fail("it ran out before it was read")


def a_known(store: Store, record_id: object) -> Record | None:
    """The record with this id, if it is still there."""
    return next(iter(store.get(EVERYTHING, [record_id])), None)  # type: ignore[list-item]


class ExpiringContract:
    """For stores that declare `EXPIRING`."""

    def test_what_has_run_out_is_gone_everywhere(self, store: Store) -> None:
        assert Capability.EXPIRING in store.capabilities
        stays = written(store, "a kettle stays", key="stays")
        before = found(store, "kettle")
        gone = _short_lived(store, "a kettle for a moment", "k")
        assert len(found(store, "kettle")) == 2
        _until(lambda: a_known(store, gone.id) is None)
        assert store.find(EVERYTHING, place_at("k")) is None
        assert ask(store) == [stays]
        assert store.count(Query(reach=EVERYTHING)) == 1
        assert list(store.walk(EVERYTHING, "project/web")) == [stays]
        assert found(store, "kettle") == before
        assert store.saying(EVERYTHING, ["for a moment"]) == []
        assert {version.record for version in store.versions(EVERYTHING, gone.id)} == {None}
        assert {one.severity for one in store.check()} == {Severity.OK}

    def test_a_key_is_free_when_its_holder_has_run_out(self, store: Store) -> None:
        gone = _short_lived(store, "first", "k")
        _until(lambda: a_known(store, gone.id) is None)
        second = write(store, a_put("second", key="k", expect=0), at=clock.now())
        assert (second.action, second.rev) == (Action.CREATED, 1)
        assert second.id != gone.id
        with pytest.raises(NotFoundError):
            write(store, a_put("again", revises=gone.id, expect=1), at=clock.now())

    def test_what_is_told_to_last_does_not_run_out(self, store: Store) -> None:
        record = _short_lived(store, "for a moment", "k")
        write(store, a_put("for good", key="k"), at=clock.now())
        other = _short_lived(store, "a clock beside it", "other")
        _until(lambda: a_known(store, other.id) is None)
        assert texts(ask(store)) == ["for good"]
        assert store.find(EVERYTHING, place_at("k")) == a_known(store, record.id)

    def test_a_lifetime_that_is_over_already_leaves_nothing(self, store: Store) -> None:
        now = clock.now()
        record = written(store, "a lease", key="k")
        write(store, a_put("a lease", revises=record.id, expires_at=now), at=now)
        assert a_known(store, record.id) is None
        assert store.find(EVERYTHING, place_at("k")) is None
        assert ask(store) == []
        assert picture(store)["records"] == []
