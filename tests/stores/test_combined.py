"""Two stores as one: what a commit over both promises, whoever dies when, and how they are read."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from lamina.core.access import EVERYTHING
from lamina.core.announcements import Audience
from lamina.core.changes import Action, Adopt, Changed, Commit, Erase, Move, Put, Receipt
from lamina.core.layers import Durability
from lamina.core.record import State
from lamina.core.scope import hot_stream
from lamina.errors import (
    ConflictError,
    StoreUnavailableError,
    UnsupportedError,
)
from lamina.stores.base import WHOLE, Capability, Severity, Store
from lamina.stores.combined.answers import AWAY, NO_PAST
from lamina.stores.combined.binding import with_hot
from lamina.stores.combined.store import CombinedStore
from lamina.stores.ephemeral import EphemeralStore
from lamina.stores.questions import Query
from lamina.stores.redis import holding
from lamina.stores.redis.store import RedisStore
from lamina.stores.sqlite.store import SqliteStore
from lamina.testing.builders import (
    NOON,
    WEB,
    a_put,
    a_record,
    after_noon,
    an_id,
    ask,
    found,
    search,
    sight_of,
    texts,
    the,
    write,
    written,
)
from tests.redis import RedisServer, needs_redis
from tests.scratch import scratch_folder

pytestmark = needs_redis
HOT_WEB = hot_stream(WEB)
Combine = Callable[..., CombinedStore]


@pytest.fixture
def combine(redis_server: RedisServer) -> Iterator[Combine]:
    """Another process, so to speak, on the same two stores."""
    url, base = redis_server.fresh_url(), EphemeralStore()
    with ExitStack() as opened:

        def combined(other: Store | None = None) -> CombinedStore:
            other_url = redis_server.fresh_url() if other else url
            store = with_hot(other or base, other_url)
            assert isinstance(store, CombinedStore)
            opened.callback(store.close)
            return store

        yield combined


@pytest.fixture
def store(combine: Combine) -> CombinedStore:
    return combine()


def _a_signal(text: str, **fields: object) -> Put:
    return a_put(text, layer="blackboard", kind="signal", key="s", **fields)


def _both(store: Store, text: str, **fields: object) -> Receipt:
    """A commit over both stores."""
    return write(store, a_put(text, key="k"), _a_signal(text), **fields)


def _told(store: Store) -> dict[str, list[str]]:
    """What the current records of each layer say."""
    return {
        layer: texts(ask(store, {"layer": layer, "state": "current"}))
        for layer in ("knowledge", "blackboard")
    }


def test_each_layer_lies_where_it_belongs(combine: Combine) -> None:
    base = EphemeralStore()
    store = combine(base)
    for layer in ("knowledge", "working", "task", "blackboard"):
        write(store, a_put(f"a {layer}", layer=layer, key="k"))
    assert [one.layer for one in base.query(Query(reach=EVERYTHING))] == ["knowledge"]
    assert len(ask(store)) == store.count(Query(reach=EVERYTHING)) == 4
    assert {one.layer for one in store.census(Query(reach=EVERYTHING))} == {
        "knowledge", "working", "task", "blackboard",
    }  # fmt: skip
    assert sorted(texts(list(store.walk(EVERYTHING, WEB)))) == [
        "a blackboard", "a knowledge", "a task", "a working",
    ]  # fmt: skip
    assert store.streams() == [WEB]
    assert set(store.position()) == set(store.position([WEB])) == {WEB, HOT_WEB}


def test_it_declares_what_both_can_do(tmp_path: Path, combine: Combine) -> None:
    with closing(combine(SqliteStore(tmp_path))) as store:
        lasting = {Capability.DURABLE, Capability.SYNCED, Capability.MANY_PROCESSES}
        assert store.capabilities == lasting | {Capability.EVERY_LAYER}
        assert write(store, a_put()).durability is Durability.SYNCED
        assert write(store, a_put(layer="task")).durability is Durability.COMMITTED
        assert _both(store, "both").durability is Durability.COMMITTED
    assert combine().capabilities == {Capability.EVERY_LAYER} < WHOLE


def test_a_commit_over_both_is_one(store: CombinedStore) -> None:
    receipt = _both(store, "one", idempotency_key="r", request="x")
    assert receipt.seqs == ((WEB, 1), (HOT_WEB, 1))
    events = store.transaction(receipt.tx)
    assert [event.stream for event in events] == [WEB, HOT_WEB]
    again = _both(store, "one", idempotency_key="r", request="x")
    assert (again.tx, again.outcomes, again.seqs) == (receipt.tx, receipt.outcomes, receipt.seqs)
    assert again.repeated
    with pytest.raises(ConflictError):
        _both(store, "other", idempotency_key="r", request="y")
    mixed = write(
        store, _a_signal("two"), a_put("two", key="k"), Move(id=receipt.id, state=State.ARCHIVED),
        a_put("new", layer="task"), _a_signal("two"),
    )  # fmt: skip
    assert [one.action for one in mixed.outcomes] == [
        Action.REVISED, Action.REVISED, Action.MOVED, Action.CREATED, Action.UNCHANGED,
    ]  # fmt: skip


def test_what_one_part_refuses_happens_in_neither(store: CombinedStore) -> None:
    _both(store, "one")
    before = _told(store)
    late = {"expect": 7}
    with pytest.raises(ConflictError):
        write(store, a_put("two", key="k", **late), _a_signal("two"))
    with pytest.raises(ConflictError):
        write(store, a_put("two", key="k"), _a_signal("two", **late))
    assert _told(store) == before
    # Nothing is held any more.
    assert _both(store, "two").rev == 2


def test_a_base_of_which_nobody_knows_what_it_did_is_believed_later(
    combine: Combine, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = combine(), combine()
    _both(store, "one")
    late: list[Commit] = []

    def lose(commit: Commit) -> Receipt:
        late.append(commit)
        raise StoreUnavailableError("the connection was lost", remedy="Repeat it")

    base_commit = store._base.commit
    with monkeypatch.context() as patched:
        patched.setattr(store._base, "commit", lose)
        with pytest.raises(StoreUnavailableError):
            _both(store, "two")
    # What was on its way arrives after its caller was told that nobody knows.
    base_commit(late[0])
    monkeypatch.setattr(holding, "_FRESH_MS", 0)
    assert _told(other) == {"knowledge": ["two"], "blackboard": ["two"]}


def test_why_the_base_refused_is_told_though_the_hot_store_went_away(
    combine: Combine, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = combine()
    _both(store, "one")

    def away(*_: object) -> None:
        raise StoreUnavailableError("it is away", remedy="Wait")

    with monkeypatch.context() as patched:
        patched.setattr(store._hot, "abandon", away)
        with pytest.raises(ConflictError):
            write(store, a_put("two", key="k", expect=7), _a_signal("two"))
    monkeypatch.setattr(holding, "_PATIENCE_MS", 0)
    assert _both(store, "two").rev == 2


def test_nobody_waits_for_a_half_whose_answer_got_lost(
    combine: Combine, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = combine()
    _both(store, "one")
    hot = store._hot
    assert isinstance(hot, RedisStore)
    prepare = hot._writing.prepare

    def unheard(commit: Commit) -> Receipt:
        prepare(commit)
        raise StoreUnavailableError("no answer came", remedy="Repeat it")

    with monkeypatch.context() as patched:
        patched.setattr(hot._writing, "prepare", unheard)
        with pytest.raises(StoreUnavailableError):
            _both(store, "two", idempotency_key="r", request="x")
    monkeypatch.setattr(holding, "_PATIENCE_MS", 1e9)
    again = _both(store, "two", idempotency_key="r", request="x")
    assert (again.repeated, [one.rev for one in again.outcomes]) == (False, [2, 2])


def test_a_condition_in_one_store_guards_a_write_in_the_other(combine: Combine) -> None:
    store, other = combine(), combine()
    lease = written(store, "a lease", layer="blackboard", key="lease")
    still = Move(id=lease.id, state=State.CURRENT, expect=1)
    write(store, a_put("guarded"), still)
    write(other, a_put("taken over", layer="blackboard", key="lease"))
    with pytest.raises(ConflictError):
        write(store, a_put("unguarded"), still)
    assert texts(ask(store, {"layer": "knowledge"})) == ["guarded"]


class _DiedError(BaseException):
    """The process ended here."""


def _dying(store: CombinedStore, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a commit over both end right before one of its steps."""

    def die(*_: object) -> None:
        raise _DiedError

    owner = store._hot if where == "finish" else store._base
    with monkeypatch.context() as patched:
        patched.setattr(owner, where, die)
        with pytest.raises(_DiedError):
            _both(store, "two", idempotency_key="r", request="x")


def test_what_was_left_after_the_base_had_it_is_finished_by_the_next(
    combine: Combine, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = combine(), combine()
    _both(store, "one")
    _dying(store, "finish", monkeypatch)
    # Whoever writes to what is held brings it to its end first.
    assert write(other, _a_signal("three")).rev == 3
    again = _both(other, "two", idempotency_key="r", request="x")
    assert (again.repeated, [one.rev for one in again.outcomes]) == (True, [2, 2])
    assert _told(other) == {"knowledge": ["two"], "blackboard": ["three"]}


def test_what_was_left_and_is_repeated_at_once_happens_once(
    combine: Combine, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = combine(), combine()

    def new_ones() -> list[Put]:
        # Nothing of them is held by its name: the two requests share their key alone.
        return [a_put("cold"), a_put("hot", layer="task")]

    def die(*_: object) -> None:
        raise _DiedError

    with monkeypatch.context() as patched:
        patched.setattr(store._hot, "finish", die)
        with pytest.raises(_DiedError):
            write(store, *new_ones(), idempotency_key="r", request="x")
    again = write(other, *new_ones(), idempotency_key="r", request="x")
    other._hot.settle()
    monkeypatch.setattr(holding, "_FRESH_MS", 0)
    assert sorted(texts(ask(combine()))) == ["cold", "hot"]
    assert again.repeated
    assert {one.id for one in again.outcomes} == {one.id for one in ask(other)}


def test_what_was_left_after_the_base_had_it_is_finished_for_readers(
    combine: Combine, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = combine()
    _both(store, "one")
    _dying(store, "finish", monkeypatch)
    monkeypatch.setattr(holding, "_FRESH_MS", 0)
    assert _told(combine()) == {"knowledge": ["two"], "blackboard": ["two"]}


def test_what_was_left_after_the_base_had_it_is_finished_for_those_who_follow(
    combine: Combine, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = combine()
    _both(store, "one")
    _dying(store, "finish", monkeypatch)
    monkeypatch.setattr(holding, "_FRESH_MS", 0)
    heard = [one.record and one.record.text for one in _all(combine(), 10)]
    assert sorted(map(str, heard)) == ["one", "one", "two", "two"]


def test_what_was_left_before_the_base_had_it_is_taken_back(
    combine: Combine, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = combine(), combine()
    _both(store, "one")
    _dying(store, "commit", monkeypatch)
    monkeypatch.setattr(holding, "_PATIENCE_MS", 0)
    assert _told(other) == {"knowledge": ["one"], "blackboard": ["one"]}
    assert write(other, _a_signal("three")).rev == 2
    assert not _both(other, "two", idempotency_key="r", request="x").repeated


def test_who_is_so_slow_that_it_was_taken_back_does_it_anew(
    combine: Combine, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = combine(), combine()
    _both(store, "one")
    commit, hot = store._base.commit, store._hot

    def slowly(base_part: Commit) -> Receipt:
        monkeypatch.setattr(holding, "_PATIENCE_MS", -1)
        assert not other._base.transaction(base_part.tx)
        hot.abandon(base_part)
        return commit(base_part)

    monkeypatch.setattr(store._base, "commit", slowly)
    assert [one.rev for one in _both(store, "two").outcomes] == [2, 2]
    monkeypatch.undo()
    assert _told(store) == {"knowledge": ["two"], "blackboard": ["two"]}


def test_many_threads_commit_over_both_at_once(combine: Combine) -> None:
    stores = [combine() for _ in range(4)]
    _both(stores[0], "0")
    failures: list[BaseException] = []

    def work(store: CombinedStore, number: int) -> None:
        try:
            for n in range(5):
                _both(store, f"{number} {n}")
        except BaseException as error:  # a thread's failure is reported by the test
            failures.append(error)

    threads = [threading.Thread(target=work, args=(one, n)) for n, one in enumerate(stores)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    told = _told(stores[0])
    assert told["knowledge"] == told["blackboard"]
    assert {head.seq for head in stores[0].position().values()} == {21}


def _all(store: Store, limit: int, after: dict[str, int] | None = None) -> list[Changed]:
    place, seen = dict(after or {}), list[Changed]()
    while True:
        page = store.changes(EVERYTHING, place, limit)
        if not page.position:
            return seen
        assert len(page.changes) <= limit
        place |= {name: head.seq for name, head in page.position.items()}
        seen += page.changes


def test_the_feed_tells_both_in_order_and_each_once(store: CombinedStore) -> None:
    turns = "bbhbhhhhbbbhbbbbbbbbhhhhhhhhhhb"
    for minute, turn in enumerate(turns):
        layer = "task" if turn == "h" else "knowledge"
        write(store, a_put(f"{minute}", layer=layer), at=after_noon(minute))
    for limit in (1, 2, 3, 5, 8, 1000):
        told = _all(store, limit)
        assert [one.record and one.record.text for one in told] == list(map(str, range(31)))
    middle = {WEB: 5, HOT_WEB: 5}
    assert len(_all(store, 4, middle)) == 21
    some = store.changes(sight_of(f"{WEB}/agent/ann"), {}, 1000)
    assert (some.changes, set(some.position)) == ((), {WEB, HOT_WEB})


def test_changes_of_equal_times_are_all_told(store: CombinedStore) -> None:
    for number in range(12):
        write(store, a_put(f"{number}", layer=("task", "knowledge")[number % 3 > 1]), at=NOON)
    for limit in (1, 2, 3, 7):
        assert len(_all(store, limit)) == 12


def test_waiting_ends_with_a_change_in_either(combine: Combine) -> None:
    store, other = combine(), combine()
    for change in (a_put("cold"), a_put("hot", layer="task"), a_put("cold again")):
        pulse = store.pulse()
        assert not store.wait(pulse, 0.01)
        waits = threading.Timer(0.02, write, [other, change])
        waits.start()
        assert store.wait(pulse, 20)
        waits.join()
        assert store.pulse() != pulse


def test_a_search_finds_in_both_and_says_when_one_is_away() -> None:
    with scratch_folder() as folder:
        server = RedisServer(folder, "--appendonly", "yes").start()
        base = EphemeralStore()
        with closing(with_hot(base, server.url())) as store:
            write(store, a_put("a copper kettle"), a_put("a kettle signal", layer="blackboard"))
            assert sorted(found(store, "kettle")) == ["a copper kettle", "a kettle signal"]
            assert found(store, "signal") == ["a kettle signal"]
            place = {name: head.seq for name, head in store.position().items()}
            then = search(store, "kettle", as_of=place)
            assert [one.record.text for one in then.matches] == ["a copper kettle"]
            assert then.degraded == (NO_PAST,)
            server.kill()
            away = search(store, "kettle")
            assert [one.record.text for one in away.matches] == ["a copper kettle"]
            assert away.degraded == (AWAY,)
            # What is not hot is not held up; what is says so, and leaves nothing half done.
            record = written(store, "meanwhile", key="m")
            assert texts(ask(store, {"layer": "knowledge"})) == ["meanwhile", "a copper kettle"]
            for call in (
                lambda: write(store, _a_signal("lost")),
                lambda: _both(store, "lost", idempotency_key="r", request="x"),
                lambda: ask(store),
                lambda: store.get(EVERYTHING, [an_id(1)]),
                lambda: write(store, Erase(id=record.id)),
            ):
                with pytest.raises(StoreUnavailableError):
                    call()
            assert store.noted(Audience(EVERYTHING), 0, 10).notices == ()
            assert Severity.NOTE in {one.severity for one in store.check()}
            server.start()
            assert the(store, record.id) == record
            assert not _both(store, "back", idempotency_key="r", request="x").repeated
            assert found(store, "signal kettle") == ["a kettle signal", "a copper kettle"]
        server.kill()


def test_the_past_is_that_of_the_base(store: CombinedStore) -> None:
    write(store, a_put("before", key="k"), a_put("a task", layer="task"))
    place = {name: head.seq for name, head in store.position().items()}
    write(store, a_put("after", key="k"))
    assert texts(ask(store, as_of=place)) == ["before"]
    assert store.count(Query(reach=EVERYTHING, as_of=place)) == 1
    with pytest.raises(UnsupportedError):
        ask(store, {"layer": "task"}, as_of=place)
    assert set(store.position(at=after_noon(1))) == {WEB}


def test_what_was_there_before_stays_where_it_is(combine: Combine) -> None:
    base = EphemeralStore()
    old = written(base, "an old task", layer="task", key="t")
    archived = written(base, "put aside", layer="task", key="a")
    write(base, Move(id=archived.id, state=State.ARCHIVED))
    store = combine(base)
    write(store, a_put("a new task", layer="task", key="n"), at=after_noon(1))
    assert texts(ask(store, {"layer": "task"})) == ["a new task", "put aside", "an old task"]
    assert write(store, a_put("revised", layer="task", key="t")).id == old.id
    assert the(base, old.id).text == "revised"
    assert write(store, a_put("again", revises=old.id, layer="task", expect=2)).rev == 3
    adopted = a_record("from elsewhere", layer="task", key="f", rev=4)
    write(store, Adopt(record=adopted))
    assert base.get(EVERYTHING, [adopted.id]) == []
    assert the(store, adopted.id) == adopted


def test_an_erase_reaches_both_and_says_where_it_could_not_look(store: CombinedStore) -> None:
    cold, hot = written(store, "a heron"), written(store, "an egret", layer="task")
    write(store, Erase(id=cold.id))
    assert store.scrub([b"a heron in the reeds"]).unlooked == ()
    write(store, Erase(id=hot.id), Erase(id=written(store, "a stork").id))
    assert "redis" in store.scrub([b"an egret in the reeds"]).unlooked[0]
    assert store.tombstones([cold.id, hot.id]) == {cold.id, hot.id}
    assert ask(store) == []
    assert len(store.versions(EVERYTHING, hot.id)) == 2
