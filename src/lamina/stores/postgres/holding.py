"""What a commit holds while it is under way: its idempotency key, and the streams it writes to.

They are locks by name, taken in one order by everybody and let go when the commit is durable. So
the sequence of a stream has no gaps, and no reader sees a later event before an earlier one.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from lamina.core.changes import Commit
from lamina.core.planning import needs
from lamina.core.scope import stream_of
from lamina.stores import receipts
from lamina.stores.postgres import locks
from lamina.stores.postgres.driver import Connection

WRITING: Final = "writing"
"""Shared by every commit; whoever has it alone holds all streams."""
VECTORS: Final = "vectors"
"""Shared by everybody who makes vectors; whoever has it alone may put them elsewhere."""
_HOMES: Final = (
    "select distinct s.name from record r join stream s on s.sid = r.sid"
    " where r.id in (select value from json_each(?))"
)
_STREAMS: Final = "select name from stream"
_LOCK: Final = (
    "select pg_advisory_xact_lock(cast(value as bigint)) from (select value from json_each(?)"
    " order by cast(key as bigint)) as given"
)


@dataclass(frozen=True, slots=True)
class Needs:
    """What one request has to hold."""

    keys: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    everything: bool = False
    vectors: bool = False


NOTHING: Final = Needs()
EVERYTHING: Final = Needs(everything=True)
OF_VECTORS: Final = Needs(vectors=True)


def of(commit: Commit) -> Needs:
    """What a commit has to hold, as far as it says so itself."""
    named, owner = needs(commit), receipts.owner_of(commit)
    keys = () if owner is None else (" ".join(owner),)
    return Needs(keys, named.scopes, named.ids)


def first(schema: str, wanted: Sequence[Needs]) -> tuple[str, ...]:
    """What a transaction that is to hold something begins with."""
    shared = [VECTORS] if any(one.vectors for one in wanted) else []
    if _of_streams(wanted) and not any(one.everything for one in wanted):
        shared.append(WRITING)
    numbers = [locks.number(schema, name) for name in shared]
    return tuple(f"select pg_advisory_xact_lock_shared({number})" for number in numbers)


def hold(
    connection: Connection, schema: str, wanted: Iterable[Needs], more: frozenset[str]
) -> None:
    """Lock what is needed, keys first and then streams, in one order whoever asks."""
    wanted = _of_streams(wanted)
    if not wanted:
        return
    if any(one.everything for one in wanted):
        locks.take(connection, schema, WRITING)
        connection.held = frozenset(name for (name,) in connection.execute(_STREAMS)) | more
        return
    ids = [record_id for one in wanted for record_id in one.ids]
    streams = {stream_of(scope) for one in wanted for scope in one.scopes} | more
    if ids:
        streams |= {name for (name,) in connection.execute(_HOMES, (json.dumps(ids),))}
    names = sorted(f"key:{key}" for one in wanted for key in one.keys)
    names += sorted(f"stream:{name}" for name in streams)
    if names:
        numbers = [locks.number(schema, name) for name in dict.fromkeys(names)]
        connection.execute(_LOCK, (json.dumps(numbers),))
    connection.held = frozenset(streams)


def _of_streams(wanted: Iterable[Needs]) -> list[Needs]:
    return [one for one in wanted if one is not NOTHING and one is not OF_VECTORS]
