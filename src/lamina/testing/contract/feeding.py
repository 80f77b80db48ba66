"""Clauses on the change feed: everything that happened, once, in order, and waking up for it."""

from concurrent.futures import ThreadPoolExecutor

from lamina.core.access import EVERYTHING, Reach
from lamina.core.changes import Changed, Erase, Move, Witness
from lamina.core.record import State
from lamina.stores.base import Store
from lamina.testing.builders import (
    NOON,
    WEB,
    a_put,
    after_noon,
    sight_of,
    write,
    written,
)

LONG = 30.0
"""Seconds; whoever waits that long was not woken."""


def _all(store: Store, reach: Reach = EVERYTHING, limit: int = 3) -> list[Changed]:
    """Read the feed to its end, a few at a time."""
    place: dict[str, int] = {}
    found: list[Changed] = []
    while True:
        page = store.changes(reach, place, limit)
        if not page.position:
            return found
        place |= {name: head.seq for name, head in page.position.items()}
        found += page.changes


def _said(changes: list[Changed]) -> list[tuple[str | None, str | None]]:
    """What each change made and what it replaced."""
    return [
        (one.record.text if one.record else None, one.before.text if one.before else None)
        for one in changes
    ]


class FeedingClauses:
    """What `changes`, `position`, `pulse` and `wait` promise."""

    def test_every_event_comes_once_and_in_order(self, store: Store) -> None:
        scopes = (WEB, "user/ann", f"{WEB}/task/t", "global")
        for number in range(14):
            write(store, a_put(f"{number}", scope=scopes[number % 4]), a_put("more", key="k"))
        for limit in (1, 3, 1000):
            events = [change.event for change in _all(store, limit=limit)]
            for name in store.streams():
                assert [one for one in events if one.stream == name] == store.events(name)
            assert len(events) == sum(len(store.events(name)) for name in store.streams())

    def test_a_change_brings_the_version_and_the_one_before(self, store: Store) -> None:
        record = written(store, "one", key="k")
        write(store, a_put("two", key="k"), a_put("other"))
        write(store, Witness(id=record.id))
        write(store, Move(id=record.id, state=State.ARCHIVED))
        for limit in (1, 2, 1000):
            assert _said(_all(store, limit=limit)) == [
                ("one", None), ("two", "one"), ("other", None), ("two", None), ("two", "two"),
            ]  # fmt: skip

    def test_a_version_that_is_not_kept_is_missing_from_its_change(self, store: Store) -> None:
        for text in ("one", "two", "three"):
            write(store, a_put(text, key="k", layer="working", kind="plan"))
        changes = _all(store, limit=1000)
        assert [one.event.rev for one in changes] == [1, 2, 3]
        assert _said(changes) == [(None, None), (None, None), ("three", None)]

    def test_older_changes_come_first_across_streams(self, store: Store) -> None:
        for minute, scope in enumerate(("user/zoe", WEB, "global", "user/zoe", "user/ann")):
            write(store, a_put(f"{minute}", scope=scope), at=after_noon(minute))
        for limit in (2, 1000):
            assert [said for said, _ in _said(_all(store, limit=limit))] == list("01234")

    def test_changes_are_confined_to_the_reach_and_pass_over_the_rest(self, store: Store) -> None:
        for number in range(5):
            write(store, a_put(f"mine {number}", scope=f"{WEB}/agent/ann", key="k"))
            write(store, a_put(f"yours {number}", scope=f"{WEB}/agent/bob", key="k"))
            write(store, a_put(f"far {number}", scope="user/ann"))
        sight = sight_of(f"{WEB}/agent/ann")
        said = _said(_all(store, sight))
        assert said == [(f"mine {n}", f"mine {n - 1}" if n else None) for n in range(5)]
        page = store.changes(sight, {WEB: 9}, 10)
        assert (page.changes, {name: head.seq for name, head in page.position.items()}) == (
            (), {WEB: 10},
        )  # fmt: skip
        assert store.changes(sight_of(), {}, 10).position == {}

    def test_events_of_the_erased_are_for_those_who_see_the_stream(self, store: Store) -> None:
        record = written(store, "gone", scope=f"{WEB}/agent/ann")
        write(store, Erase(id=record.id))
        written(store, "stays", scope=f"{WEB}/agent/ann")
        assert _said(_all(store, sight_of(WEB))) == [(None, None), (None, None), ("stays", None)]
        assert _said(_all(store, sight_of(f"{WEB}/agent/ann"))) == [("stays", None)]

    def test_a_position_is_the_head_of_each_stream(self, store: Store) -> None:
        assert store.position() == {}
        for minute in range(6):
            scope = WEB if minute % 3 else "user/ann"
            write(store, a_put(f"{minute}", scope=scope), at=after_noon(minute))
        for name, head in store.position().items():
            last = store.events(name)[-1]
            assert (head.seq, head.hash, head.at) == (last.seq, last.hash, last.at)
        assert set(store.position([WEB, "global"])) == {WEB}

    def test_a_position_can_be_asked_for_as_of_an_instant(self, store: Store) -> None:
        for minute in (0, 1, 1, 3, 8):
            write(store, a_put(f"{minute}"), at=after_noon(minute))
        write(store, a_put("far", scope="user/ann"), at=after_noon(2))
        asked = {minute: store.position(at=after_noon(minute)) for minute in (-1, 0, 1, 2.5, 8, 99)}
        seqs = {
            minute: {name: head.seq for name, head in heads.items()}
            for minute, heads in asked.items()
        }
        assert seqs == {
            -1: {}, 0: {WEB: 1}, 1: {WEB: 3}, 2.5: {WEB: 3, "user/ann": 1},
            8: {WEB: 5, "user/ann": 1}, 99: {WEB: 5, "user/ann": 1},
        }  # fmt: skip
        third = store.events(WEB)[2]
        head = asked[1][WEB]
        assert (head.hash, head.at) == (third.hash, third.at)
        assert head.at == after_noon(1) > NOON

    def test_waiting_ends_with_the_next_commit(self, store: Store) -> None:
        pulse = store.pulse()
        write(store, a_put("before the wait"))
        assert store.wait(pulse, 0.01)
        pulse = store.pulse()
        with ThreadPoolExecutor(3) as pool:
            waits = [pool.submit(store.wait, pulse, LONG) for _ in range(3)]
            write(store, a_put("while they wait"))
            assert [wait.result() for wait in waits] == [True] * 3

    def test_waiting_in_vain_says_so(self, store: Store) -> None:
        write(store, a_put())
        pulse = store.pulse()
        assert not store.wait(pulse, 0.05)
        assert not store.wait(pulse, 0)

    def test_a_store_has_one_identity(self, store: Store) -> None:
        identity = store.identity
        write(store, a_put())
        assert identity
        assert store.identity == identity
