"""One commit over two stores: in both or in neither, whoever dies, waits or comes again when."""

import threading

import pytest

from lamina.core.changes import Action, Commit, Move, Put, Receipt
from lamina.core.record import State
from lamina.core.scope import hot_stream
from lamina.errors import (
    ConflictError,
    StoreUnavailableError,
)
from lamina.stores.combined.store import CombinedStore
from lamina.stores.redis import holding
from lamina.stores.redis.store import RedisStore
from lamina.testing.builders import (
    WEB,
    a_put,
    ask,
    texts,
    write,
    written,
)
from tests.redis import needs_redis
from tests.stores.two import Combine, a_signal, all_changes, told_by, write_both

pytestmark = needs_redis
HOT_WEB = hot_stream(WEB)


@pytest.fixture
def store(combine: Combine) -> CombinedStore:
    return combine()


def test_a_commit_over_both_is_one(store: CombinedStore) -> None:
    receipt = write_both(store, "one", idempotency_key="r", request="x")
    assert receipt.seqs == ((WEB, 1), (HOT_WEB, 1))
    events = store.transaction(receipt.tx)
    assert [event.stream for event in events] == [WEB, HOT_WEB]
    again = write_both(store, "one", idempotency_key="r", request="x")
    assert (again.tx, again.outcomes, again.seqs) == (receipt.tx, receipt.outcomes, receipt.seqs)
    assert again.repeated
    with pytest.raises(ConflictError):
        write_both(store, "other", idempotency_key="r", request="y")
    mixed = write(
        store, a_signal("two"), a_put("two", key="k"), Move(id=receipt.id, state=State.ARCHIVED),
        a_put("new", layer="task"), a_signal("two"),
    )  # fmt: skip
    assert [one.action for one in mixed.outcomes] == [
        Action.REVISED, Action.REVISED, Action.MOVED, Action.CREATED, Action.UNCHANGED,
    ]  # fmt: skip


def test_what_one_part_refuses_happens_in_neither(store: CombinedStore) -> None:
    write_both(store, "one")
    before = told_by(store)
    late = {"expect": 7}
    with pytest.raises(ConflictError):
        write(store, a_put("two", key="k", **late), a_signal("two"))
    with pytest.raises(ConflictError):
        write(store, a_put("two", key="k"), a_signal("two", **late))
    assert told_by(store) == before
    # Nothing is held any more.
    assert write_both(store, "two").rev == 2


def test_a_base_of_which_nobody_knows_what_it_did_is_believed_later(
    combine: Combine, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = combine(), combine()
    write_both(store, "one")
    late: list[Commit] = []

    def lose(commit: Commit) -> Receipt:
        late.append(commit)
        raise StoreUnavailableError("the connection was lost", remedy="Repeat it")

    base_commit = store._base.commit
    with monkeypatch.context() as patched:
        patched.setattr(store._base, "commit", lose)
        with pytest.raises(StoreUnavailableError):
            write_both(store, "two")
    # What was on its way arrives after its caller was told that nobody knows.
    base_commit(late[0])
    monkeypatch.setattr(holding, "_FRESH_MS", -1)
    assert told_by(other) == {"knowledge": ["two"], "blackboard": ["two"]}


def test_why_the_base_refused_is_told_though_the_hot_store_went_away(
    combine: Combine, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = combine()
    write_both(store, "one")

    def away(*_: object) -> None:
        raise StoreUnavailableError("it is away", remedy="Wait")

    with monkeypatch.context() as patched:
        patched.setattr(store._hot, "abandon", away)
        with pytest.raises(ConflictError):
            write(store, a_put("two", key="k", expect=7), a_signal("two"))
    monkeypatch.setattr(holding, "_PATIENCE_MS", -1)
    assert write_both(store, "two").rev == 2


def test_nobody_waits_for_a_half_whose_answer_got_lost(
    combine: Combine, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = combine()
    write_both(store, "one")
    hot = store._hot
    assert isinstance(hot, RedisStore)
    prepare = hot._writing.prepare

    def unheard(commit: Commit) -> Receipt:
        prepare(commit)
        raise StoreUnavailableError("no answer came", remedy="Repeat it")

    with monkeypatch.context() as patched:
        patched.setattr(hot._writing, "prepare", unheard)
        with pytest.raises(StoreUnavailableError):
            write_both(store, "two", idempotency_key="r", request="x")
    monkeypatch.setattr(holding, "_PATIENCE_MS", 1e9)
    again = write_both(store, "two", idempotency_key="r", request="x")
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
            write_both(store, "two", idempotency_key="r", request="x")


def test_what_was_left_after_the_base_had_it_is_finished_by_the_next(
    combine: Combine, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = combine(), combine()
    write_both(store, "one")
    _dying(store, "finish", monkeypatch)
    # Whoever writes to what is held brings it to its end first.
    assert write(other, a_signal("three")).rev == 3
    again = write_both(other, "two", idempotency_key="r", request="x")
    assert (again.repeated, [one.rev for one in again.outcomes]) == (True, [2, 2])
    assert told_by(other) == {"knowledge": ["two"], "blackboard": ["three"]}


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
    monkeypatch.setattr(holding, "_FRESH_MS", -1)
    assert sorted(texts(ask(combine()))) == ["cold", "hot"]
    assert again.repeated
    assert {one.id for one in again.outcomes} == {one.id for one in ask(other)}


def test_what_was_left_after_the_base_had_it_is_finished_for_readers(
    combine: Combine, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = combine()
    write_both(store, "one")
    _dying(store, "finish", monkeypatch)
    monkeypatch.setattr(holding, "_FRESH_MS", -1)
    assert told_by(combine()) == {"knowledge": ["two"], "blackboard": ["two"]}


def test_what_was_left_after_the_base_had_it_is_finished_for_those_who_follow(
    combine: Combine, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = combine()
    write_both(store, "one")
    _dying(store, "finish", monkeypatch)
    monkeypatch.setattr(holding, "_FRESH_MS", -1)
    heard = [one.record and one.record.text for one in all_changes(combine(), 10)]
    assert sorted(map(str, heard)) == ["one", "one", "two", "two"]


def test_what_was_left_before_the_base_had_it_is_taken_back(
    combine: Combine, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = combine(), combine()
    write_both(store, "one")
    _dying(store, "commit", monkeypatch)
    monkeypatch.setattr(holding, "_PATIENCE_MS", -1)
    assert told_by(other) == {"knowledge": ["one"], "blackboard": ["one"]}
    assert write(other, a_signal("three")).rev == 2
    assert not write_both(other, "two", idempotency_key="r", request="x").repeated


def test_who_is_so_slow_that_it_was_taken_back_does_it_anew(
    combine: Combine, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = combine(), combine()
    write_both(store, "one")
    commit, hot = store._base.commit, store._hot

    def slowly(base_part: Commit) -> Receipt:
        monkeypatch.setattr(holding, "_PATIENCE_MS", -1)
        assert not other._base.transaction(base_part.tx)
        hot.abandon(base_part)
        return commit(base_part)

    monkeypatch.setattr(store._base, "commit", slowly)
    assert [one.rev for one in write_both(store, "two").outcomes] == [2, 2]
    monkeypatch.undo()
    assert told_by(store) == {"knowledge": ["two"], "blackboard": ["two"]}


def test_many_threads_commit_over_both_at_once(combine: Combine) -> None:
    stores = [combine() for _ in range(4)]
    write_both(stores[0], "0")
    failures: list[BaseException] = []

    def work(store: CombinedStore, number: int) -> None:
        try:
            for n in range(5):
                write_both(store, f"{number} {n}")
        except BaseException as error:  # a thread's failure is reported by the test
            failures.append(error)

    threads = [threading.Thread(target=work, args=(one, n)) for n, one in enumerate(stores)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    told = told_by(stores[0])
    assert told["knowledge"] == told["blackboard"]
    assert {head.seq for head in stores[0].position().values()} == {21}
