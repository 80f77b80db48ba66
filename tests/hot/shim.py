"""A plugin for pytest: every store in a directory has its hot layers in a Redis.

So the tests of layers, leases and orchestration show whether anything but the store can tell; used
by `make test-redis`, never by itself.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from lamina import config, opening
from lamina.stores.combined.binding import with_hot
from tests.redis import RedisServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.stores.base import Store


@pytest.fixture(scope="session", autouse=True)
def _hot_layers_are_in_redis() -> Iterator[None]:
    before = opening._with_hot
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        server = RedisServer(Path(folder), "--appendonly", "yes").start()

        def in_redis(where: str | Path, base: Store, hot: str | None) -> Store:
            # Not one that a test before has left in the environment.
            chosen = hot is not None and str(server.socket) not in hot
            if chosen or str(where) == ":memory:" or str(where).startswith("json:"):
                return before(where, base, hot)
            prefix = hashlib.sha256(os.path.abspath(where).encode()).hexdigest()[:12]
            # For processes that a test starts on the same store.
            patched.setenv(config.HOT, server.url(f"t{prefix}"))
            return with_hot(base, server.url(f"t{prefix}"))

        patched.setattr(opening, "_with_hot", in_redis)
        yield
        server.kill()
