"""The routes of the client with a store itself behind them, for testing what lies before it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import lamina
from lamina.core.indexing import index_terms
from lamina.core.principal import Principal
from lamina.core.record import Record
from lamina.release import version
from lamina.remote.calls import Me
from lamina.remote.store import RemoteStore
from lamina.remote.transport import Transport
from lamina.stores.base import Aids, Finding, Repair, Store
from lamina.surfaces.http.app import create_app
from lamina.surfaces.http.engine import Engine
from lamina.surfaces.http.routing import Caller
from lamina.surfaces.http.store_routes import declared
from tests.serving import Served, listening


def _analyse(record: Record) -> tuple[str, ...]:
    return index_terms(record, record.key)


class Bare:
    """A store that answers calls as they come, whoever makes them."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    about = None

    def me(self) -> Me:
        found = self.store
        settings = dict(found.settings())
        return Me(
            version=version(),
            principal=Principal(),
            identity=found.identity,
            capabilities=found.capabilities,
            settings=settings,
            most_bytes=16_000_000,
        )

    def embed(self, space: str, made: Any, wait: bool) -> int:
        return self.store.embed(space, made, wait=wait)

    def get(self, reach: Any, ids: Any, as_of: Any) -> list[Record]:
        return self.store.get(reach, ids, as_of=as_of)

    def events(self, stream: str, after: int, limit: int | None) -> Any:
        return self.store.events(stream, after=after, limit=limit)

    def position(self, streams: Any, at: Any) -> Any:
        return self.store.position(streams, at=at)

    def check(self) -> list[Finding]:
        return self.store.check(Aids(analyse=_analyse))

    def repair(self) -> Repair:
        return self.store.repair(_analyse)

    def reindex(self) -> int:
        return self.store.reindex(_analyse)


class Raw:
    """A server whose store can be changed for another."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self.store: Store | None = None

    def connected(self) -> RemoteStore:
        """One more client of the store that is there now."""
        server = self._served
        return RemoteStore(Transport(f"{server.url}/raw", server.key, 30.0), believed=0.0)


@contextmanager
def raw_server() -> Iterator[Raw]:
    """A server for as many stores as come, one after the other."""

    def answering(_: Caller, __: str) -> Bare:
        assert raw.store is not None
        return Bare(raw.store)

    with lamina.open(":memory:") as whole:
        engine = Engine(whole)
        app = create_app(engine)
        app.include_router(declared(answering, "/raw").router)
        with listening(app, engine) as server:
            raw = Raw(server)
            yield raw
