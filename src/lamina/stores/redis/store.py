"""The Redis store: the layers that agents are at right now, shared by any number of processes.

It keeps working memory, tasks and the blackboard, and refuses every other layer. It has no past and
no chain, and takes away what has run out; `capabilities` says so.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from lamina.core.layers import Durability
from lamina.errors import InvalidInputError, StoreUnavailableError, UnsupportedError
from lamina.stores.base import Capability
from lamina.stores.questions import check_count
from lamina.stores.redis import duties
from lamina.stores.redis.address import parse_address
from lamina.stores.redis.care import Care
from lamina.stores.redis.commits import MOST_EVENTS, Writing
from lamina.stores.redis.feed import Log
from lamina.stores.redis.holding import Holding
from lamina.stores.redis.mirror import Mirror
from lamina.stores.redis.present import newest_instant
from lamina.stores.redis.reading import Reading, refuse_past
from lamina.stores.redis.server import Server
from lamina.stores.redis.telemetry import Telemetry
from lamina.stores.redis.waking import Waking
from lamina.stores.searching import check_alike

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from lamina.core.access import Reach
    from lamina.core.announcements import Audience, Noted, Notice
    from lamina.core.arranging import Arranged
    from lamina.core.chain import Head
    from lamina.core.changes import Commit, Event, Receipt, Version
    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.core.retention import Pruned, Retention
    from lamina.core.sealed import Sealed
    from lamina.core.usage import Usage
    from lamina.core.vectors import Embedded, Progress
    from lamina.results import BackupReport
    from lamina.stores.base import Aids, Finding, Page, Repair, ScrubReport
    from lamina.stores.questions import Found, Lot, Query, Search


class RedisStore:
    """Records of the hot layers in a Redis or Valkey."""

    def __init__(
        self,
        url: str,
        *,
        owner: str = "",
        chosen: Callable[[], Mapping[str, str]] | None = None,
        decided: Callable[[str], bool | None] = lambda tx: False,
        is_new: bool = True,
        most_events: int = MOST_EVENTS,
    ) -> None:
        """Take a place on a server.

        Args:
            url: Where it is: `redis://HOST:PORT/DB?prefix=NAME`.
            owner: The identity of the store that these layers belong to, where they are part of
                another; otherwise it has one of its own.
            chosen: Where the settings are kept, if that is another store.
            decided: Whether that other store has carried out its part of a transaction; `None`
                where it is not the one to ask any more.
            is_new: Whether an empty place can only be one that was never used.
            most_events: How many events of each stream stay.
        """
        self._server = Server(parse_address(url), owner)
        self._is_new = is_new
        self._chosen = chosen
        self._reading = Reading(self._server)
        self._mirror = Mirror(self._server, self._reading)
        self._log = Log(self._server, self._reading)
        self._telemetry = Telemetry(self._server, self._reading)
        self._care = Care(self._server, self._reading)
        self._waking = Waking(self._server)
        self._holding = Holding(self._server, decided)
        self._writing = Writing(
            self._server, chosen=chosen, settle=self._holding.settle, claim=self._claim,
            most_events=most_events,
        )  # fmt: skip

    @property
    def capabilities(self) -> frozenset[Capability]:
        durable = {
            Durability.EPHEMERAL: (),
            Durability.COMMITTED: (Capability.DURABLE,),
            Durability.SYNCED: (Capability.DURABLE, Capability.SYNCED),
        }[self._server.durability()]
        return frozenset({Capability.MANY_PROCESSES, Capability.EXPIRING, *durable})

    @property
    def location(self) -> str:
        return self._server.address.shown

    @property
    def identity(self) -> str:
        return self._server.identity if self._server.is_claimed else self._claim()

    def is_taken(self) -> bool:
        """Whether a store has its hot layers here already, be it this one."""
        [found] = self._server.ask(("HGET", self._server.key("meta"), "identity"))
        return found is not None

    def commit(self, commit: Commit) -> Receipt:
        self._begin()
        receipt = self._writing.commit(commit)
        self._waking.ring()
        return receipt

    def prepare(self, commit: Commit) -> Receipt:
        """The first half of a commit that another store has a part in; see `HotStore`."""
        self._begin()
        try:
            return self._writing.prepare(commit)
        except StoreUnavailableError:
            # If it is held all the same, the next request need not wait for it.
            self._holding.give_up(commit.tx)
            raise

    def finish(self, commit: Commit, prepared: Receipt) -> Receipt:
        """The second half."""
        receipt = self._writing.finish(commit, prepared)
        self._waking.ring()
        return receipt

    def abandon(self, commit: Commit) -> None:
        """Take the first half back."""
        self._writing.abandon(commit)

    def settle(self) -> None:
        """Bring to an end what was left half done."""
        self._holding.settle_all()

    def get(
        self, reach: Reach, ids: Sequence[RecordId], *, as_of: Mapping[str, int] | None = None
    ) -> list[Record]:
        refuse_past(as_of)
        return self._reading.get(reach, ids)

    def find(self, reach: Reach, place: str) -> Record | None:
        return self._reading.find(reach, place)

    def query(self, query: Query) -> list[Record]:
        return self._reading.query(query)

    def walk(self, reach: Reach, stream: str) -> Iterator[Record]:
        return self._reading.walk(reach, stream)

    def count(self, query: Query) -> int:
        return self._reading.count(query)

    def census(self, query: Query) -> list[Lot]:
        return self._reading.census(query)

    def search(self, search: Search) -> Found:
        refuse_past(search.as_of)
        space = None if search.vector is None else search.vector.space
        self._mirror.refresh(search.reach.streams(), space)
        return self._mirror.search(search)

    def unembedded(self, space: str, limit: int) -> list[Record]:
        self._mirror.refresh(None, space)
        return self._mirror.unembedded(space, limit)

    def waits(self, space: str, reach: Reach) -> bool:
        self._mirror.refresh(reach.streams(), space)
        return self._mirror.waits(space, reach)

    def embed(self, space: str, made: Sequence[Embedded], *, wait: bool = True) -> int:
        check_alike(made)
        sizes = {len(one.values) // 4 for one in made if one.values is not None}
        told: list[str | bytes] = [space, str(next(iter(sizes), 0))]
        for one in made:
            told += [one.id, str(one.rev), one.values or b""]
        kept = int(self._server.run("embed", *told))
        if kept < 0:
            raise InvalidInputError(
                "`made` holds vectors of other dimensions than the space",
                remedy="Give the embedder another fingerprint when its vectors change",
            )
        return kept

    def progress(self, space: str) -> Progress:
        self._mirror.refresh(None, space)
        return self._mirror.progress(space)

    def spaces(self) -> list[str]:
        self._mirror.refresh(())
        return self._mirror.spaces()

    def dimensions(self, space: str) -> int:
        self._mirror.refresh(())
        return self._mirror.dimensions(space)

    def leave_space(self, space: str) -> None:
        key = self._server.key
        self._server.ask(
            ("HDEL", key("spaces"), space),
            ("DEL", key("vector", space), key("placed", space)),
            ("INCR", key("anew")),
        )

    def fold(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Nothing here is kept apart for speed."""

    def fold_is_due(self) -> bool:
        return False

    @contextmanager
    def duty(self, name: str) -> Iterator[bool]:
        with duties.duty(self._server, name) as is_ours:
            yield is_ours

    def versions(self, reach: Reach, record_id: RecordId) -> list[Version]:
        return self._log.versions(reach, record_id)

    def events(self, stream: str, *, after: int = 0, limit: int | None = 1000) -> list[Event]:
        check_count(after, "after")
        check_count(limit, "limit")
        return self._log.events(stream, after, limit)

    def transaction(self, tx: RecordId) -> list[Event]:
        return self._log.transaction(tx)

    def streams(self) -> list[str]:
        return self._log.streams()

    def position(
        self, streams: Collection[str] | None = None, *, at: datetime | None = None
    ) -> dict[str, Head]:
        return self._log.position(streams, at)

    def changes(self, reach: Reach, after: Mapping[str, int], limit: int) -> Page:
        check_count(limit, "limit")
        return self._log.changes(reach, after, limit)

    def fresh(self, reach: Reach, after: Mapping[str, int], limit: int) -> list[Event]:
        """The next events behind a place, of whatever records."""
        return self._log.fresh(reach, after, limit)

    def pulse(self) -> int:
        return self._waking.pulse()

    def wait(self, pulse: int, seconds: float) -> bool:
        return self._waking.wait(pulse, seconds)

    def note(self, notices: Sequence[Notice]) -> None:
        self._telemetry.note(notices)
        self._waking.ring()

    def note_elsewhere(self, notices: Sequence[Notice]) -> None:
        """Keep notices on records that are in the other store."""
        self._telemetry.note(notices, are_here=False)
        self._waking.ring()

    def forget_notices(self) -> bool:
        """Take all notices away; whether there were any."""
        return self._telemetry.forget_notices()

    def noted(self, audience: Audience, after: int, limit: int) -> Noted:
        check_count(limit, "limit")
        return self._telemetry.noted(audience, after, limit)

    def note_use(self, used: Mapping[RecordId, int], at: datetime, root: str = "") -> None:
        self._telemetry.note_use(used, at, root)

    def usage(self, reach: Reach, ids: Sequence[RecordId]) -> dict[RecordId, Usage]:
        return self._telemetry.usage(reach, ids)

    def newest_instant(self) -> datetime | None:
        return newest_instant(self._server)

    def sealed(self, record_id: RecordId) -> list[Sealed]:
        return self._reading.sealed(record_id)

    def has_sealed(self) -> bool:
        return self._reading.has_sealed()

    def settings(self) -> Mapping[str, str]:
        if self._chosen is not None:
            return self._chosen()
        [found] = self._server.ask(("HGETALL", self._server.key("settings")))
        return {name.decode(): value.decode() for name, value in found.items()}

    def configure(self, name: str, value: str | None, *, wait: bool = True) -> None:
        key = self._server.key("settings")
        change = ("HDEL", key, name) if value is None else ("HSET", key, name, value)
        # Counted, so that a commit which was planned under other settings is planned anew.
        self._server.ask(change, ("HINCRBY", self._server.key("meta"), "chosen", 1))

    def tombstones(self, ids: Iterable[RecordId]) -> frozenset[RecordId]:
        asked = list(ids)
        key = self._server.key("gone")
        found = self._server.ask(*(("SISMEMBER", key, one) for one in asked))
        return frozenset(one for one, was in zip(asked, found, strict=True) if was)

    def saying(self, reach: Reach, texts: Sequence[str]) -> list[RecordId]:
        return self._reading.saying(reach, texts)

    def scrub(self, erased: Sequence[bytes]) -> ScrubReport:
        del erased
        return self._care.scrub()

    def check(self, aids: Aids | None = None) -> list[Finding]:
        del aids
        return self._care.check()

    def repair(
        self,
        analyse: Callable[[Record], tuple[str, ...]],
        tell: Callable[[float], None] = lambda share: None,
    ) -> Repair:
        return self._care.repair(analyse, tell)

    def audit(self, streams: Collection[str] | None = None) -> list[Finding]:
        del streams
        return self._care.check()

    def reindex(self, analyse: Callable[[Record], tuple[str, ...]]) -> int:
        return self._care.reindex(analyse)

    def prunable(self, retention: Retention) -> Pruned:
        return self._care.prunable(retention)

    def prune(self, retention: Retention) -> Pruned:
        return self._care.prune(retention)

    def arrange(self, *, dry_run: bool = False) -> list[Arranged]:
        del dry_run
        return []

    def tidy(self) -> bool:
        self._care.tidy()
        return True

    def backup(self, path: Path, tell: Callable[[float], None]) -> BackupReport:
        raise UnsupportedError(
            f"the store {self.location} cannot be backed up", remedy="Use `lamina export` instead"
        )

    def flush(self) -> None:
        """What was acknowledged is as durable as the server is set up to make it."""

    def close(self) -> None:
        self._waking.close()
        self._server.close()

    def _begin(self) -> None:
        if not self._server.is_claimed:
            self._claim()

    def _claim(self) -> str:
        return self._server.claim(is_new=self._is_new)
