"""A store and the Redis that its hot layers are in belong together."""

from contextlib import closing
from pathlib import Path

import pytest

from lamina.errors import InvalidInputError, StoreError
from lamina.stores.combined import BOUND
from lamina.stores.combined.binding import with_hot
from lamina.stores.redis.address import parse_address
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


def test_what_is_hot_is_in_one_place(tmp_path: Path, redis_server: RedisServer) -> None:
    """Two processes that name two places would each see half, and both hold one lock."""
    here, elsewhere = redis_server.fresh_url(), redis_server.fresh_url()
    with closing(with_hot(SqliteStore(tmp_path), here)) as store:
        written(store, "mine", layer="task")
    with closing(SqliteStore(tmp_path)) as base:
        with pytest.raises(InvalidInputError, match="nothing is at"):
            with_hot(base, elsewhere)
        assert base.settings()[BOUND] == parse_address(here).shown
    with closing(RedisStore(elsewhere)) as hot:
        assert ask(hot) == []
    # The same place by another name is as good, and one that was emptied is still the place.
    other_name = here.replace("/redis.sock", "/./redis.sock")
    assert parse_address(other_name).shown != parse_address(here).shown
    for url in (other_name, here):
        with closing(with_hot(SqliteStore(tmp_path), url)) as store:
            assert len(ask(store)) == 1
    with closing(RedisStore(here)) as hot:
        # All that is this store's, and nothing of the others on that server.
        [keys] = hot._server.ask(("KEYS", hot._server.key("*")))
        hot._server.ask(("DEL", *keys))
    with closing(with_hot(SqliteStore(tmp_path), here)) as store:
        assert ask(store) == []
