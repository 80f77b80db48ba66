"""Clauses on threads: nothing is lost, doubled or deadlocked when many write at once."""

import threading
from collections import Counter
from collections.abc import Callable

from lamina.errors import ConflictError
from lamina.stores.base import Store
from lamina.testing.builders import a_put, ask, breaks, home, look_for, write, written

THREADS = 8
EACH = 50


def together(work: Callable[[int], None]) -> list[BaseException]:
    """Run the work in several threads that start at once; what went wrong in them."""
    start = threading.Barrier(THREADS)
    failures: list[BaseException] = []

    def run(number: int) -> None:
        start.wait()
        try:
            work(number)
        except BaseException as error:  # a thread's failure is reported by the test
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


class CrowdingClauses:
    """What many threads may do with one store."""

    def test_threads_lose_nothing(self, store: Store) -> None:
        def work(number: int) -> None:
            for n in range(EACH):
                layer = ("blackboard", home().name)[n % 2]
                write(store, a_put(f"{number} {n}", layer=layer), a_put(f"{n}", key=f"{number}"))
                if n % 10 == 0:
                    assert len(ask(store, {"text": f"{number} {n}"})) == 1
                    assert look_for(store, f"{n}")

        assert together(work) == []
        # What is hot may have a stream of its own.
        logs = [store.events(name, limit=None) for name in store.position()]
        for events in logs:
            assert [event.seq for event in events] == list(range(1, len(events) + 1))
            assert breaks(store, events) == []
        assert sum(map(len, logs)) == THREADS * EACH * 2
        assert len(ask(store)) == THREADS * EACH + THREADS
        assert {record.rev for record in ask(store, {"key": {"$ne": None}})} == {EACH}

    def test_one_of_many_threads_wins_a_compare_and_set(self, store: Store) -> None:
        written(store, "start", key="k")

        def work(number: int) -> None:
            write(store, a_put(f"{number}", key="k", expect=1))

        failures = together(work)
        assert [type(failure) for failure in failures] == [ConflictError] * (THREADS - 1)
        [record] = ask(store)
        assert record.rev == 2

    def test_commits_over_several_streams_do_not_lock_each_other_out(self, store: Store) -> None:
        scopes = ["project/a", "project/b", "user/ann", "global"]

        def work(number: int) -> None:
            for n in range(10):
                order = scopes if (number + n) % 2 else scopes[::-1]
                write(store, *(a_put(f"{number} {n}", scope=scope) for scope in order))

        assert together(work) == []
        for scope in scopes:
            assert len(store.events(scope, limit=None)) == THREADS * 10
            assert breaks(store, store.events(scope, limit=None)) == []

    def test_one_request_from_many_threads_happens_once(self, store: Store) -> None:
        repeated: Counter[bool] = Counter()

        def work(number: int) -> None:
            for n in range(10):
                put = a_put("once", scope=f"project/p{number}")
                receipt = write(store, put, idempotency_key=f"r-{n}", request="asked")
                repeated[receipt.repeated] += 1

        assert together(work) == []
        assert repeated == {False: 10, True: 10 * (THREADS - 1)}
        assert len(ask(store)) == 10
