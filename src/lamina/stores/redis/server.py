"""One Redis: connections, scripts, what its errors mean, and what it keeps when it dies.

No exception of the client leaves this module. A command is sent a second time when the connection
broke: everything that Lamina sends is the same when it happens twice.
"""

from __future__ import annotations

import hashlib
import time
from contextlib import contextmanager, suppress
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

import redis
from redis.backoff import NoBackoff
from redis.exceptions import (
    AuthenticationError,
    AuthorizationError,
    BusyLoadingError,
    InvalidResponse,
    NoPermissionError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    ResponseError,
)
from redis.retry import Retry

from lamina.clock import fresh_salt, stopwatch
from lamina.core.layers import Durability
from lamina.errors import (
    LaminaError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
    StoreUnavailableError,
    StoreVersionError,
    UnsupportedError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina.stores.redis.address import Address

FORMAT: Final = 1
_OLDEST: Final = (7, 0)
"""Scripts say of themselves since then whether they may run when memory is short."""
_CONNECT_SECONDS: Final = 2.0
_ANSWER_SECONDS: Final = 4.0
"""Where an answer got lost, whoever follows has caught up within five seconds all the same."""
_SILENT_SECONDS: Final = 0.5
"""Who has waited in vain asks nothing more for so long: one call is several questions."""
_JUST_NOW: Final = "no answer a moment ago"
_LOADING_SECONDS: Final = 3.0
"""How long to wait for a server that is reading its files after a start."""
_NAP_SECONDS: Final = 0.02
_BELIEVED_SECONDS: Final = 1.0
"""How long the server's word on what it writes to disk is taken; anybody may change it."""
_AT_ONCE: Final = 1000
_WITHOUT_ROOM: Final = "#!lua flags=allow-oom\n"
"""Lets a script run when memory is short: to erase is to free some."""
_REPEAT: Final = "If it was a change, repeat it with the same idempotency key: it may have happened"

_CHECK: Final = (
    "Check that it runs, that host and port are right, and whether it speaks TLS (rediss://)"
)


class StrangerError(RedisError):
    """The place belongs to another store."""


class Server:
    """A server, spoken to in scripts and single commands. Safe to share between threads."""

    def __init__(self, address: Address, identity: str = "") -> None:
        """Take the address, and the identity of the store that must be there, if that is known."""
        self.address = address
        self.is_claimed = False
        """Whether it was seen that the place is this store's."""
        self._meta = f"{{{address.prefix}}}:meta"
        self._identity = identity
        self._client: redis.Redis | None = redis.Redis.from_url(
            address.url,
            socket_connect_timeout=_CONNECT_SECONDS,
            socket_timeout=_ANSWER_SECONDS,
            retry=Retry(NoBackoff(), 0),
            redis_connect_func=self._greet,
        )
        self._believed: tuple[float, Durability] | None = None
        self._silent_until = 0.0

    def key(self, *parts: str) -> str:
        """The name under which something of this store lies."""
        return f"{self._meta[:-4]}{':'.join(parts)}"

    @property
    def identity(self) -> str:
        """The store that the place belongs to; nothing until that is known."""
        return self._identity

    def claim(self, *, is_new: bool) -> str:
        """Make sure that the server can be used and the place is this store's; says whose it is.

        Where no identity is known, whoever has it already is welcome.
        """
        info = self.ask(("INFO",))[0]
        _check_server(info, self.address.shown)
        wanted = self._identity
        fresh = wanted or fresh_salt().hex()
        known = "new" if is_new and not self.is_claimed else ""
        found, version = self.run("claim", fresh, str(FORMAT), known)
        if int(version) > FORMAT:
            raise StoreVersionError(
                f"{self.address.shown} has format {int(version)}; this Lamina knows {FORMAT}",
                remedy="Upgrade Lamina; nothing was touched",
            )
        if wanted and found.decode() != wanted:
            raise _stranger(self.address)
        self._identity = found.decode()
        self.is_claimed = True
        return self._identity

    def run(self, script: str, *arguments: str | bytes, without_room: bool = False) -> Any:
        """Run a script, which happens as a whole or not at all."""
        text, digest = _script(script, without_room)

        def call(client: redis.Redis) -> Any:
            try:
                return _sent(client, "EVALSHA", digest, 1, self._meta, *arguments)
            except NoScriptError:
                return _sent(client, "EVAL", text, 1, self._meta, *arguments)

        return self._done(call)

    def ask(self, *commands: tuple[str | bytes | int | float, ...]) -> list[Any]:
        """The answers to some commands, in one round trip; others may come in between."""
        if not commands:
            return []

        def call(client: redis.Redis) -> list[Any]:
            if len(commands) == 1:
                return [_sent(client, *commands[0])]
            with client.pipeline(transaction=False) as pipe:
                for command in commands:
                    _sent(pipe, *command)
                return pipe.execute()

        answers: list[Any] = self._done(call)
        return answers

    def read(self, how: str, ids: list[str]) -> list[Any]:
        """What is kept of many records, as `read.lua` gives it, some at a time."""
        found: list[Any] = []
        for start in range(0, len(ids), _AT_ONCE):
            found += self.run("read", how, *ids[start : start + _AT_ONCE])
        return found

    def durability(self) -> Durability:
        """What an acknowledged write survives, as the server is set up now."""
        if self._believed is None or stopwatch() - self._believed[0] > _BELIEVED_SECONDS:
            self._believed = (stopwatch(), self._asked_durability())
        return self._believed[1]

    @contextmanager
    def listening(self, *channels: str) -> Iterator[Callable[[float], bytes | None]]:
        """Subscribed to some channels: a function that waits for the next message."""
        listener = self._open().pubsub()  # type: ignore[no-untyped-call]  # it has no types

        def next_message(seconds: float) -> bytes | None:
            with self.speaking():
                found = listener.get_message(timeout=seconds)
            return found["data"] if found and found["type"] == "message" else None

        try:
            with self.speaking():
                listener.subscribe(*(self.key(name) for name in channels))
                for _ in channels:
                    listener.get_message(timeout=_ANSWER_SECONDS)
            yield next_message
        finally:
            with suppress(RedisError, OSError):
                listener.close()

    def close(self) -> None:
        """Let go of the connections."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    @contextmanager
    def speaking(self) -> Iterator[None]:
        """Turn what the client raises into what Lamina raises."""
        try:
            yield
        except StrangerError:
            raise _stranger(self.address) from None
        except RedisError as error:
            raise _translated(error, self.address.shown) from error
        except OSError as error:
            raise _unreachable(error, self.address.shown) from error

    def _open(self) -> redis.Redis:
        if self._client is None:
            raise StoreError("the store is closed", remedy="Open it again with lamina.open()")
        return self._client

    def _done(self, call: Callable[[redis.Redis], Any]) -> Any:
        begun = stopwatch()
        with self.speaking():
            if begun < self._silent_until:
                raise redis.TimeoutError(_JUST_NOW)
            tried = 0
            while True:
                try:
                    return call(self._open())
                except redis.TimeoutError:
                    self._silent_until = stopwatch() + _SILENT_SECONDS
                    raise
                except BusyLoadingError:
                    if stopwatch() - begun > _LOADING_SECONDS:
                        raise
                    time.sleep(_NAP_SECONDS)
                except (AuthenticationError, AuthorizationError):
                    raise
                except redis.ConnectionError:
                    tried += 1
                    if tried > 1:
                        raise

    def _greet(self, connection: Any) -> None:
        """See with each new connection that the same store is at its end: it may be another now."""
        connection.on_connect()
        if self._identity:
            connection.send_command("HGET", self._meta, "identity")
            found = connection.read_response()
            if found is not None and found.decode() != self._identity:
                raise StrangerError
        self._believed = None

    def _asked_durability(self) -> Durability:
        try:
            [said] = self.ask(("CONFIG GET", "append*"))
        except LaminaError as error:
            if isinstance(error, StoreUnavailableError):
                raise
            # Some services keep their configuration to themselves; then less is promised.
            [info] = self.ask(("INFO", "persistence"))
            return Durability.COMMITTED if info["aof_enabled"] else Durability.EPHEMERAL
        if said.get("appendonly", "no") == "no":
            return Durability.EPHEMERAL
        always = said.get("appendfsync") == "always"
        return Durability.SYNCED if always else Durability.COMMITTED


def _sent(client: redis.Redis, *command: str | bytes | int | float) -> Any:
    return client.execute_command(*command)  # type: ignore[no-untyped-call]  # it has no types


@cache
def _script(name: str, without_room: bool) -> tuple[str, str]:
    text = (resources.files(__package__) / "scripts" / f"{name}.lua").read_text(encoding="utf-8")
    text = _WITHOUT_ROOM + text if without_room else text
    return text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


def _check_server(info: dict[str, Any], where: str) -> None:
    """Refuse a server that could not keep what it is given."""
    version = tuple(int(part) for part in str(info["redis_version"]).split(".")[:2])
    if version < _OLDEST:
        raise StoreVersionError(
            f"{where} is a Redis {info['redis_version']}", remedy="Use Redis 7 or newer, or Valkey"
        )
    if info.get("cluster_enabled"):
        raise UnsupportedError(
            f"{where} is part of a cluster", remedy="Use a single server, with replicas if you like"
        )
    policy = str(info.get("maxmemory_policy", "noeviction"))
    if info.get("maxmemory") and policy != "noeviction":
        raise StoreError(
            f"{where} drops what it likes when its memory is full: its policy is {policy}",
            remedy="Set `maxmemory-policy noeviction`, so that it refuses instead of forgetting",
        )


def _stranger(address: Address) -> StoreError:
    return StoreError(
        f"{address.shown} holds the hot layers of another store",
        remedy="Name another database, or another prefix: ?prefix=NAME",
    )


def _unreachable(error: Exception, where: str) -> StoreUnavailableError:
    why = str(error)[:120].rstrip(".")
    # It may have been the second try that found nobody there.
    remedy = f"{_CHECK}. {_REPEAT}" if "connecting to" in why else _REPEAT
    return StoreUnavailableError(f"{where} cannot be reached: {why}", remedy=remedy)


def _translated(error: RedisError, where: str) -> StoreError:
    said = str(error)
    match error:
        case AuthenticationError() | AuthorizationError() | NoPermissionError():
            return StoreError(
                f"{where} lets nobody in with these credentials: {said:.120}",
                remedy="Check the user and the password in its address",
            )
        case BusyLoadingError():
            return StoreUnavailableError(f"{where} is still reading its files", remedy=_REPEAT)
        case redis.ConnectionError() | redis.TimeoutError():
            return _unreachable(error, where)
        case InvalidResponse():
            return StoreError(f"{where} does not answer like a Redis", remedy="Check host and port")
        case ReadOnlyError():
            return StoreReadOnlyError(
                f"{where} is a replica, which can only be read", remedy="Name the primary"
            )
        case OutOfMemoryError():
            return StoreFullError(
                f"{where} has no memory left", remedy="Raise its `maxmemory`, or erase something"
            )
        case ResponseError():
            return _refused(said, where)
    return StoreError(f"{where} failed: {said:.200}")


def _refused(said: str, where: str) -> StoreError:
    if said.startswith("MISCONF"):
        full = "No space left" in said or "disk" in said
        return (StoreFullError if full else StoreError)(
            f"{where} cannot write to its disk: {said:.200}",
            remedy="Free some room there, or look into the server's log",
        )
    if said.startswith("unknown command"):
        return StoreError(f"{where} does not answer like a Redis: {said:.120}")
    if "DB index" in said:
        return StoreError(
            f"{where} has no database of that number", remedy="Name another: redis://HOST/NUMBER"
        )
    return StoreError(f"{where} refused: {said:.200}")
