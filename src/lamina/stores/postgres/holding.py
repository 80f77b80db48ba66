"""What a commit holds while it is under way: its idempotency key, and the streams it writes to.

They are locks by name, taken in one order by everybody and let go when the commit is durable. So
the sequence of a stream has no gaps, and no reader sees a later event before an earlier one.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from lamina.core.changes import Adopt, Commit, Put
from lamina.core.planning import needs
from lamina.core.scope import stream_of
from lamina.stores import receipts
from lamina.stores.postgres import locks
from lamina.stores.postgres.driver import Connection
from lamina.stores.sql.driver import Asked

WRITING: Final = "writing"
"""Shared by every commit; whoever has it alone holds all streams."""
VECTORS: Final = "vectors"
"""Shared by everybody who makes vectors; whoever has it alone may put them elsewhere."""
_HOMES: Final = (
    "select distinct s.name from record r join stream s on s.sid = r.sid"
    " where r.id in (select value from json_each(?))"
)
_STREAMS: Final = "select name from stream"


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
    """What a commit has to hold, as far as it says so itself.

    Where a record is written it is said; where it is only named it has to be looked up.
    """
    owner = receipts.owner_of(commit)
    keys = () if owner is None else (" ".join(owner),)
    elsewhere = [one for one in commit.changes if not isinstance(one, Put | Adopt)]
    ids = needs(replace(commit, changes=tuple(elsewhere))).ids
    return Needs(keys, needs(commit).scopes, ids)


def first(schema: str, wanted: Sequence[Needs], more: frozenset[str]) -> tuple[Asked, ...]:
    """What a transaction begins with that is to hold what is known to be needed."""
    shared = [VECTORS] if any(one.vectors for one in wanted) else []
    numbers, of_streams = [], _of_streams(wanted)
    if of_streams and not any(one.everything for one in of_streams):
        shared.append(WRITING)
        if not any(one.ids for one in of_streams):
            numbers = _numbers(schema, of_streams, _streams(of_streams) | more)
    return (
        *(locks.sharing(schema, name) for name in shared),
        *(locks.taking(number) for number in numbers),
    )


def hold(
    connection: Connection, schema: str, wanted: Iterable[Needs], more: frozenset[str]
) -> None:
    """Lock what is needed and is not held from the beginning."""
    wanted = _of_streams(wanted)
    if not wanted:
        return
    if any(one.everything for one in wanted):
        locks.take(connection, schema, WRITING)
        connection.held = frozenset(name for (name,) in connection.execute(_STREAMS)) | more
        return
    streams = _streams(wanted) | more
    if ids := [record_id for one in wanted for record_id in one.ids]:
        streams |= {name for (name,) in connection.execute(_HOMES, (json.dumps(ids),))}
        for number in _numbers(schema, wanted, streams):
            connection.soon(*locks.taking(number))
    connection.held = frozenset(streams)


def _streams(wanted: Sequence[Needs]) -> set[str]:
    return {stream_of(scope) for one in wanted for scope in one.scopes}


def _numbers(schema: str, wanted: Sequence[Needs], streams: Collection[str]) -> list[int]:
    """Keys first and then streams, in one order whoever asks."""
    names = sorted(f"key:{key}" for one in wanted for key in one.keys)
    names += sorted(f"stream:{name}" for name in streams)
    return [locks.number(schema, name) for name in dict.fromkeys(names)]


def _of_streams(wanted: Iterable[Needs]) -> list[Needs]:
    return [one for one in wanted if one is not NOTHING and one is not OF_VECTORS]
