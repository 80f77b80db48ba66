"""The server answers."""

import httpx2

from lamina import Memory
from tests.places import plain
from tests.serving import serving

__all__ = ["plain"]


def test_the_server_is_alive(plain: Memory) -> None:
    with serving(plain) as server:
        assert httpx2.get(f"{server.url}/healthz").json() == {"status": "ok"}
