"""Clauses on the log: sequence, chain, time, and what a record went through."""

import json
from dataclasses import asdict

from lamina.core import chain
from lamina.core.access import EVERYTHING
from lamina.core.changes import Action, Adopt, Erase, Move
from lamina.core.principal import Principal, Surface
from lamina.core.record import State
from lamina.stores.base import Store
from lamina.stores.ephemeral import EphemeralStore
from lamina.testing.builders import (
    ADMIN,
    NOON,
    WEB,
    a_principal,
    a_put,
    a_record,
    after_noon,
    an_id,
    picture,
    the,
    write,
    written,
)


class HistoryClauses:
    """One event for each record changed, and nothing in it that could need erasing."""

    def test_one_event_follows_from_each_record_changed(self, store: Store) -> None:
        first, second = a_put("one", key="a"), a_put("two")
        by = Principal("carla", surface=Surface.CLI)
        receipt = write(store, first, second, a_put("one", key="a"), by=by)
        events = store.events(WEB)
        assert [(event.record, event.rev, event.action) for event in events] == [
            (first.id, 1, Action.CREATED), (second.id, 1, Action.CREATED),
        ]  # fmt: skip
        assert {event.tx for event in events} == {receipt.tx}
        assert {(event.actor, event.surface, event.at) for event in events} == {
            ("carla", "cli", NOON)
        }

    def test_sequences_are_gap_free_in_each_stream(self, store: Store) -> None:
        for number in range(12):
            scope = (WEB, f"{WEB}/task/t", "user/ann", "global")[number % 4]
            write(store, a_put(f"{number}", scope=scope), a_put("more", scope="user/ann"))
        seqs = {name: [event.seq for event in store.events(name)] for name in store.streams()}
        assert seqs == {
            "global": [1, 2, 3], WEB: list(range(1, 7)), "user/ann": list(range(1, 16)),
        }  # fmt: skip

    def test_events_hold_no_content(self, store: Store) -> None:
        record = written(
            store, "secretive text", key="secretive key", kind="secretivekind",
            tags=("secretive tag",), data={"secretive name": "secretive value"},
        )  # fmt: skip
        write(store, Erase(id=record.id), idempotency_key="secretive request")
        events = [event for name in store.streams() for event in store.events(name)]
        assert len(events) == 2
        assert "secretive" not in json.dumps([asdict(event) for event in events], default=str)

    def test_events_are_paged_by_sequence(self, store: Store) -> None:
        for number in range(10):
            write(store, a_put(str(number)))
        assert [event.seq for event in store.events(WEB, after=7)] == [8, 9, 10]
        assert [event.seq for event in store.events(WEB, after=2, limit=3)] == [3, 4, 5]
        assert store.events(WEB, after=10) == []
        assert store.events("project/unknown") == []

    def test_times_never_go_back_in_a_stream(self, store: Store) -> None:
        first = written(store, "late", key="k", scope=WEB)
        write(store, a_put("later", key="k"), at=after_noon(10))
        write(store, a_put("a clock set back", key="k"), at=after_noon(-60))
        fresh = write(store, a_put("new under the old clock"), at=after_noon(-60))
        far = write(store, a_put("another stream", scope="user/ann"), at=after_noon(-60))
        times = [event.at for event in store.events(WEB)]
        assert times == sorted(times)
        assert times[-1] == after_noon(10)
        assert the(store, first.id).updated_at == after_noon(10)
        assert the(store, fresh.id).created_at == after_noon(10)
        assert the(store, far.id).created_at == after_noon(-60)

    def test_a_transaction_lists_its_own_events_in_order(self, store: Store) -> None:
        written(store, scope="user/zoe")
        changes = [a_put(str(n), scope=s) for n, s in enumerate((WEB, "user/zoe", "global", WEB))]
        receipt = write(store, *changes)
        write(store, a_put("afterwards"))
        events = store.transaction(receipt.tx)
        assert [(event.stream, event.seq) for event in events] == [
            ("global", 1), (WEB, 1), (WEB, 2), ("user/zoe", 2),
        ]  # fmt: skip
        assert store.transaction(an_id(1)) == []

    def test_versions_tell_a_records_history_oldest_first(self, store: Store) -> None:
        record = written(store, "one", key="k", tags=("a",))
        written(store, "a bystander")
        write(store, a_put("two", key="k"), by=a_principal("finn"))
        write(store, Move(id=record.id, state=State.FORGOTTEN), by=ADMIN)
        versions = store.versions(EVERYTHING, record.id)
        assert [
            (
                v.event.rev,
                v.event.action,
                v.record and (v.record.text, v.record.state, v.record.rev),
            )
            for v in versions
        ] == [
            (1, Action.CREATED, ("one", State.CURRENT, 1)),
            (2, Action.REVISED, ("two", State.CURRENT, 2)),
            (3, Action.MOVED, ("two", State.FORGOTTEN, 3)),
        ]
        assert versions[0].record == record
        assert versions[-1].record == the(store, record.id)
        assert store.versions(EVERYTHING, an_id(1)) == []

    def test_streams_are_the_roots_that_were_written(self, store: Store) -> None:
        assert store.streams() == []
        for scope in ("user/zoe/task/t", "project/web/agent/a", "global/task/x", "agent/a"):
            write(store, a_put(scope=scope))
        assert store.streams() == ["agent/a", "global", "project/web", "user/zoe"]
        assert picture(store)["events"].keys() == set(store.streams())


class ChainClauses:
    """Each event seals what came before it, and says nothing of what it is about."""

    def test_the_chain_of_every_stream_holds(self, store: Store) -> None:
        record = written(store, "one", key="k")
        write(store, a_put("two", key="k"), a_put("far", scope="user/ann"))
        write(store, Move(id=record.id, state=State.ARCHIVED), a_put("x", scope="user/ann"))
        for name in store.streams():
            events = store.events(name)
            assert len(events) >= 2
            assert list(chain.verify(events)) == []
            assert len({event.hash for event in events}) == len(events)

    def test_a_digest_says_nothing_without_its_salt(self, store: Store) -> None:
        record = a_record("easily guessed")
        other = EphemeralStore()
        for one in (store, other):
            write(one, Adopt(record=record))
        [here], [there] = store.events(WEB), other.events(WEB)
        assert here.digest != there.digest
        assert chain.digest(record, b"") not in (here.digest, there.digest)
