"""Duties: something that one process at a time sees to.

A key with a short life says whose turn it is, and is renewed for as long as that process lives.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from lamina import clock
from lamina.errors import LaminaError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.stores.redis.server import Server

_LIFE_MS: Final = "15000"
_RENEW_SECONDS: Final = 5.0


@contextmanager
def duty(server: Server, name: str) -> Iterator[bool]:
    """Take up a duty; whether it is this one's now."""
    key, sign = server.key("duty", name), clock.fresh_id()
    [taken] = server.ask(("SET", key, sign, "NX", "PX", _LIFE_MS))
    if not taken:
        yield False
        return
    ended = threading.Event()
    renewal = threading.Thread(
        target=_renew, args=(server, key, ended), name=f"duty {name}", daemon=True
    )
    renewal.start()
    try:
        yield True
    finally:
        ended.set()
        renewal.join()
        with suppress(LaminaError):
            _let_go(server, key, sign)


def _renew(server: Server, key: str, ended: threading.Event) -> None:
    while not ended.wait(_RENEW_SECONDS):
        with suppress(LaminaError):
            server.ask(("PEXPIRE", key, _LIFE_MS))


def _let_go(server: Server, key: str, sign: str) -> None:
    [holder] = server.ask(("GET", key))
    if holder == sign.encode():
        server.ask(("DEL", key))
