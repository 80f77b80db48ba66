"""A store and the Redis that its hot layers are in belong together."""

from contextlib import closing
from pathlib import Path

import pytest

from lamina.errors import InvalidInputError, StoreError
from lamina.stores.combined.binding import with_hot
from lamina.stores.redis.store import RedisStore
from lamina.stores.sqlite.store import SqliteStore
from lamina.testing.builders import ask, written
from tests.redis import RedisServer, needs_redis

pytestmark = needs_redis


def test_a_store_keeps_to_the_redis_it_was_given(tmp_path: Path, redis_server: RedisServer) -> None:
    url = redis_server.fresh_url()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    with closing(with_hot(SqliteStore(tmp_path / "one"), url)) as store:
        written(store, "mine", layer="task")
    base = SqliteStore(tmp_path / "one")
    with closing(base), pytest.raises(InvalidInputError, match="Redis"):
        with_hot(base, None)
    with closing(SqliteStore(tmp_path / "two")) as base:
        assert with_hot(base, None) is base
        with pytest.raises(StoreError, match="another store"):
            with_hot(base, url)
        assert with_hot(base, None) is base
    with closing(SqliteStore(tmp_path / "one")) as base:
        assert with_hot(base, "off") is base
        assert with_hot(base, None) is base
    with closing(RedisStore(url)) as hot:
        assert len(ask(hot)) == 1
