"""A process that was forked from one with hot layers in a Redis."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from lamina.core.access import EVERYTHING
from lamina.stores.redis.store import RedisStore
from lamina.testing.builders import a_put, ask, at_home_in, texts, write
from tests.redis import RedisServer, needs_redis

pytestmark = needs_redis


@pytest.fixture(autouse=True)
def _at_home() -> Iterator[None]:
    with at_home_in("task"):
        yield


def test_a_forked_child_has_connections_of_its_own(redis_server: RedisServer) -> None:
    with closing(RedisStore(redis_server.fresh_url())) as store:
        write(store, a_put("before"))
        store.pulse()
        child = os.fork()
        if not child:
            try:
                write(store, a_put("in the child"))
                os._exit(0 if store.wait(store.pulse() - 1, 1) else 2)
            finally:
                os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        assert sorted(texts(ask(store))) == ["before", "in the child"]


def test_a_child_that_is_forked_in_the_middle_of_a_search_searches_too(
    redis_server: RedisServer,
) -> None:
    """The thread that held the lock is not there to let it go."""
    with closing(RedisStore(redis_server.fresh_url())) as store:
        write(store, a_put("a kettle"))
        held, enough = threading.Event(), threading.Event()

        def hold() -> None:
            with store._mirror._lock, store._waking._lock:
                held.set()
                enough.wait(30)

        holder = threading.Thread(target=hold)
        holder.start()
        held.wait(30)
        child = os.fork()
        if not child:
            try:
                signal.alarm(20)
                store.pulse()
                os._exit(0 if store.waits("none", EVERYTHING) else 2)
            finally:
                os._exit(1)
        status = os.waitpid(child, 0)[1]
        enough.set()
        holder.join()
        assert status == 0
