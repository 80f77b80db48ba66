"""The server answers."""

import httpx2
import pytest

from lamina import Memory
from lamina.errors import StoreError
from tests.places import plain
from tests.serving import serving

__all__ = ["plain"]


def test_the_server_is_alive(plain: Memory) -> None:
    with serving(plain) as server:
        assert httpx2.get(f"{server.url}/healthz").json() == {"status": "ok"}


def test_the_server_is_ready_while_its_store_answers(
    plain: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(plain) as server:
        assert httpx2.get(f"{server.url}/readyz").json() == {"status": "ready"}
        monkeypatch.setattr(type(plain.store), "settings", _gone)
        gone = httpx2.get(f"{server.url}/readyz")
        assert (gone.status_code, gone.json()["error"]["code"]) == (503, "store_unavailable")
        assert "example.com" not in gone.text
        assert httpx2.get(f"{server.url}/healthz").json() == {"status": "ok"}


def _gone(store: object) -> None:
    raise StoreError("postgresql://lamina@db.example.com/lamina is away")
