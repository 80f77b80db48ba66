"""Arrays are multiplied on one core, whichever thread does it, and the threads come back."""

import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from lamina.calm import one_thread

PLENTY = 3


def threads() -> int:
    """How many threads numpy's products take just now."""
    np.ones((2, 2)) @ np.ones((2, 2))
    found = ThreadpoolController().select(user_api="blas").info()
    return max(int(one["num_threads"]) for one in found)


def elsewhere(work: Callable[[], None]) -> None:
    """Do it in another thread."""
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


@pytest.fixture(autouse=True)
def plenty() -> Iterator[None]:
    with ThreadpoolController().limit(limits=PLENTY, user_api="blas"):
        yield


def test_one_thread_is_enough_and_the_others_come_back() -> None:
    with one_thread():
        assert threads() == 1
    assert threads() == PLENTY


def test_it_holds_in_a_thread_that_is_not_the_first() -> None:
    found = []

    def work() -> None:
        with one_thread():
            found.append(threads())

    with one_thread():
        pass
    elsewhere(work)
    assert found == [1]
    assert threads() == PLENTY


def test_it_holds_while_anybody_is_inside_and_ends_with_the_last() -> None:
    entered, may_leave = threading.Event(), threading.Event()

    def work() -> None:
        with one_thread():
            entered.set()
            may_leave.wait(30)

    other = threading.Thread(target=work)
    with one_thread():
        other.start()
        entered.wait(30)
    assert threads() == 1
    may_leave.set()
    other.join()
    assert threads() == PLENTY
