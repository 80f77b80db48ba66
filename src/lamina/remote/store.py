"""`RemoteStore`: a store whose records are kept by a server.

It keeps nothing but what was said a moment ago about settings. The server decides what its key may
see and do, whatever is asked here: a reach only ever narrows what the key has.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NoReturn

from lamina.clock import stopwatch
from lamina.errors import StoreVersionError, UnsupportedError
from lamina.release import version
from lamina.remote.calls import CALLS, MOST, PREFIX, WALK, own_key
from lamina.remote.waiting import Waits
from lamina.stores.base import Capability

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
    from lamina.remote.calls import Me
    from lamina.remote.transport import Transport
    from lamina.results import BackupReport
    from lamina.stores.base import Aids, Finding, Page, Repair, ScrubReport
    from lamina.stores.questions import Found, Lot, Query, Search

_BELIEVED_SECONDS: Final = 1.0
"""How long settings are taken for what they were."""
_BEYOND: Final = frozenset((Capability.BACKUP, Capability.SCRUBBED))
"""What a server does where it is, and nobody from afar."""


class RemoteStore:
    """Records behind a server."""

    def __init__(self, transport: Transport, believed: float = _BELIEVED_SECONDS) -> None:
        """Take the way to the server, and for how many seconds settings stay what they were."""
        self._transport = transport
        self._believed = believed
        try:
            self.me: Me = self.ask("me")
            _check_version(self.me.version)
        except BaseException:
            transport.close()
            raise
        transport.most_bytes = self.me.most_bytes
        self._settings: Mapping[str, str] = self.me.settings
        self._settled_at = stopwatch()
        self._waits = Waits(self)

    def ask(self, name: str, /, *, patience: float = 0.0, **arguments: Any) -> Any:
        """The server's answer to one of `lamina.remote.calls`, in so many seconds more."""
        call = CALLS[name]
        sent = self._transport.ask(
            f"{PREFIX}/{name}", call.written(arguments), again=call.again, seconds=patience
        )
        return call.answers.read(sent, name)

    @property
    def capabilities(self) -> frozenset[Capability]:
        # Any number of clients may use a server at once, whatever it keeps its records in.
        return self.me.capabilities - _BEYOND | {Capability.MANY_PROCESSES}

    @property
    def location(self) -> str:
        return self._transport.url

    @property
    def identity(self) -> str:
        return self.me.identity

    def commit(self, commit: Commit) -> Receipt:
        if commit.idempotency_key is not None:
            return self.ask("commit", commit=commit)
        # With a key of its own, a commit whose answer got lost can be asked for again.
        keyed = replace(commit, idempotency_key=own_key(commit), request=commit.tx)
        receipt: Receipt = self.ask("commit", commit=keyed)
        return replace(receipt, repeated=False)

    def get(
        self, reach: Reach, ids: Sequence[RecordId], *, as_of: Mapping[str, int] | None = None
    ) -> list[Record]:
        asked = (self.ask("get", reach=reach, ids=some, as_of=as_of) for some in _some(ids))
        return [record for records in asked for record in records]

    def find(self, reach: Reach, place: str) -> Record | None:
        return self.ask("find", reach=reach, place=place)

    def query(self, query: Query) -> list[Record]:
        return self.ask("query", query=query)

    def walk(self, reach: Reach, stream: str) -> Iterator[Record]:
        asked = WALK.written({"reach": reach, "stream": stream})
        for line in self._transport.lines(f"{PREFIX}/walk", asked):
            yield from WALK.answers.read(line, "walk")

    def count(self, query: Query) -> int:
        return self.ask("count", query=query)

    def census(self, query: Query) -> list[Lot]:
        return self.ask("census", query=query)

    def search(self, search: Search) -> Found:
        return self.ask("search", search=search)

    def unembedded(self, space: str, limit: int) -> list[Record]:
        return self.ask("unembedded", space=space, limit=limit)

    def waits(self, space: str, reach: Reach) -> bool:
        return self.ask("waits", space=space, reach=reach)

    def embed(self, space: str, made: Sequence[Embedded], *, wait: bool = True) -> int:
        return self.ask("embed", space=space, made=made, wait=wait)

    def progress(self, space: str) -> Progress:
        return self.ask("progress", space=space)

    def spaces(self) -> list[str]:
        return self.ask("spaces")

    def dimensions(self, space: str) -> int:
        return self.ask("dimensions", space=space)

    def leave_space(self, space: str) -> None:
        self.ask("leave_space", space=space)

    def fold(self, stop: Callable[[], bool] = lambda: False) -> None:
        if not stop():
            self.ask("fold")

    def fold_is_due(self) -> bool:
        return self.ask("fold_is_due")

    @contextmanager
    def duty(self, name: str) -> Iterator[bool]:
        _only_there(f"take up the duty `{name}`")
        yield False

    def versions(self, reach: Reach, record_id: RecordId) -> list[Version]:
        return self.ask("versions", reach=reach, record_id=record_id)

    def events(self, stream: str, *, after: int = 0, limit: int | None = 1000) -> list[Event]:
        most = MOST if limit is None else min(limit, MOST)
        page: list[Event] = self.ask("events", stream=stream, after=after, limit=most)
        if len(page) < MOST or limit == MOST:
            return page
        left = None if limit is None else limit - MOST
        return [*page, *self.events(stream, after=page[-1].seq, limit=left)]

    def transaction(self, tx: RecordId) -> list[Event]:
        return self.ask("transaction", tx=tx)

    def streams(self) -> list[str]:
        return self.ask("streams")

    def position(
        self, streams: Collection[str] | None = None, *, at: datetime | None = None
    ) -> dict[str, Head]:
        return self.ask("position", streams=streams, at=at)

    def changes(self, reach: Reach, after: Mapping[str, int], limit: int) -> Page:
        return self.ask("changes", reach=reach, after=after, limit=limit)

    def pulse(self) -> int:
        return self.ask("pulse")

    def wait(self, pulse: int, seconds: float) -> bool:
        return self._waits.wait(pulse, seconds)

    def note(self, notices: Sequence[Notice]) -> None:
        for some in _some(notices):
            self.ask("note", notices=some)

    def noted(self, audience: Audience, after: int, limit: int) -> Noted:
        return self.ask("noted", audience=audience, after=after, limit=limit)

    def note_use(self, used: Mapping[RecordId, int], at: datetime, root: str = "") -> None:
        for some in _some(list(used)):
            self.ask("note_use", used={one: used[one] for one in some}, at=at, root=root)

    def usage(self, reach: Reach, ids: Sequence[RecordId]) -> dict[RecordId, Usage]:
        asked = (self.ask("usage", reach=reach, ids=some) for some in _some(ids))
        return {one: usage for found in asked for one, usage in found.items()}

    def newest_instant(self) -> datetime | None:
        return self.ask("newest_instant")

    def sealed(self, record_id: RecordId) -> list[Sealed]:
        return self.ask("sealed", record_id=record_id)

    def has_sealed(self) -> bool:
        return self.ask("has_sealed")

    def settings(self) -> Mapping[str, str]:
        now = stopwatch()
        if now - self._settled_at >= self._believed:
            self._settings, self._settled_at = self.ask("settings"), now
        return self._settings

    def configure(self, name: str, value: str | None, *, wait: bool = True) -> None:
        self.ask("configure", name=name, value=value)
        self._settled_at = -self._believed

    def tombstones(self, ids: Iterable[RecordId]) -> frozenset[RecordId]:
        asked = (self.ask("tombstones", ids=some) for some in _some(tuple(ids)))
        return frozenset(one for found in asked for one in found)

    def saying(self, reach: Reach, texts: Sequence[str]) -> list[RecordId]:
        return self.ask("saying", reach=reach, texts=texts)

    def scrub(self, erased: Sequence[bytes]) -> ScrubReport:
        return self.ask("scrub", erased=erased)

    def check(self, aids: Aids | None = None) -> list[Finding]:
        del aids
        return self.ask("check")

    def repair(
        self,
        analyse: Callable[[Record], tuple[str, ...]],
        tell: Callable[[float], None] = lambda share: None,
    ) -> Repair:
        del analyse
        done: Repair = self.ask("repair")
        tell(1.0)
        return done

    def audit(self, streams: Collection[str] | None = None) -> list[Finding]:
        return self.ask("audit", streams=streams)

    def reindex(self, analyse: Callable[[Record], tuple[str, ...]]) -> int:
        # The server has the same function; none can be sent.
        del analyse
        return self.ask("reindex")

    def prunable(self, retention: Retention) -> Pruned:
        return self.ask("prunable", retention=retention)

    def prune(self, retention: Retention) -> Pruned:
        return self.ask("prune", retention=retention)

    def arrange(self, *, dry_run: bool = False) -> list[Arranged]:
        # The upkeep of the server sees to it.
        del dry_run
        return []

    def tidy(self) -> bool:
        return self.ask("tidy")

    def backup(self, path: Path, tell: Callable[[float], None]) -> BackupReport:
        del path, tell
        _only_there("back up the store")

    def flush(self) -> None:
        self.ask("flush")

    def close(self) -> None:
        self._transport.close()


def _some(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """As many at a time as a server takes."""
    return (values[start : start + MOST] for start in range(0, len(values), MOST))


def _only_there(what: str) -> NoReturn:
    raise UnsupportedError(
        f"a client does not {what}", remedy="Do it where the store is, with its directory"
    )


def _check_version(theirs: str) -> None:
    ours = version()
    if ours.split(".")[:2] != theirs.split(".")[:2]:
        raise StoreVersionError(
            f"the server is Lamina {theirs:.20}, this client is {ours}",
            remedy="Upgrade the older one: their first two numbers must be the same",
        )
