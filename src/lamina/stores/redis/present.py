"""The present as planning sees it: fetched at once, and checked again by the script that writes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.core.changes import Adopt
from lamina.core.planning import needs
from lamina.core.scope import stream_of
from lamina.stores.redis.rows import to_head, to_receipt, to_record

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from lamina.core.chain import Head
    from lamina.core.changes import Commit, Receipt
    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.stores.redis.server import Server


@dataclass(frozen=True, slots=True)
class Present:
    """What stood there when a commit was planned."""

    server: Server
    identity: str
    chosen: str
    """Which choice of settings was in force, for noticing another."""
    settings: Mapping[str, str]
    known: dict[RecordId, Record | None]
    places: dict[str, Record | None]
    heads: dict[str, Head]
    gone: frozenset[RecordId]
    earlier: tuple[str, Receipt] | None
    """The request that the same idempotency key stood for, and its receipt."""

    def records(self, ids: Sequence[RecordId]) -> Iterable[Record]:
        """The newest versions of those records that exist, in whatever state."""
        return [record for one in ids if (record := self.known[one]) is not None]

    def holders(self, places: Sequence[str]) -> Iterable[Record]:
        """The current records that hold these slots."""
        return [record for one in places if (record := self.places[one]) is not None]

    def erased(self, ids: Sequence[RecordId]) -> Collection[RecordId]:
        """Those of the ids that were erased here."""
        return self.gone.intersection(ids)

    def last_instant(self, stream: str) -> datetime | None:
        """When the stream's newest event happened."""
        head = self.heads.get(stream)
        return None if head is None else head.at

    def newest_instant(self) -> datetime | None:
        """When the newest event of any stream happened."""
        return newest_instant(self.server)

    def setting(self, name: str) -> str | None:
        """What was chosen for this store, if anything."""
        return self.settings.get(name)


def look(server: Server, commit: Commit, receipt: str | None) -> Present:
    """What a commit is planned on, in one round trip."""
    named = needs(commit)
    adopted = [one.record.id for one in commit.changes if isinstance(one, Adopt)]
    asked = {
        "ids": named.ids,
        "places": named.places,
        "streams": list(dict.fromkeys(map(stream_of, named.scopes))),
        "adopted": adopted,
        **({} if receipt is None else {"receipt": receipt}),
    }
    about, settings, records, places, slots, heads, erased, earlier = server.run(
        "look", json.dumps(asked, ensure_ascii=False)
    )
    holders = dict(zip(named.places, map(_record, places), strict=True))
    holders |= {slot.decode(): _record(found) for slot, found in slots}
    return Present(
        server=server,
        identity=(about[0] or b"").decode(),
        chosen=(about[1] or b"").decode(),
        settings=_pairs(settings),
        known=dict(zip(named.ids, map(_record, records), strict=True)),
        places=holders,
        heads={name.decode(): to_head(found) for name, found in _by_two(heads)},
        gone=frozenset(one for one, was in zip(adopted, erased, strict=True) if was),
        earlier=_receipt(_pairs(earlier)),
    )


def newest_instant(server: Server) -> datetime | None:
    """When the newest event of any stream happened."""
    [heads] = server.ask(("HVALS", server.key("heads")))
    return max((to_head(one).at for one in heads), key=lambda at: at, default=None)  # type: ignore[arg-type,return-value]


def held_by(present: Present) -> list[str]:
    """What must stay as it is between the two halves of a commit."""
    return [f"r:{one}" for one in present.known] + [f"p:{one}" for one in present.places]


def seen_records(present: Present) -> list[tuple[str, str]]:
    """Each record that was looked at, with the revision that it had."""
    seen = dict(present.known)
    seen |= {one.id: one for one in present.places.values() if one is not None}
    return [(one, "" if record is None else str(record.rev)) for one, record in seen.items()]


def seen_places(present: Present) -> list[tuple[str, str]]:
    """Each slot that was looked at, with the record that held it."""
    return [(place, "" if one is None else one.id) for place, one in present.places.items()]


def _record(found: Any) -> Record | None:
    if not found:
        return None
    record = to_record(found[1])
    assert record.id == found[0].decode()
    return record


def _by_two(flat: Sequence[bytes]) -> list[tuple[bytes, bytes]]:
    return list(zip(flat[::2], flat[1::2], strict=True))


def _pairs(flat: Sequence[bytes]) -> dict[str, str]:
    return {name.decode(): value.decode() for name, value in _by_two(flat)}


def _receipt(fields: Mapping[str, str]) -> tuple[str, Receipt] | None:
    return (fields["request"], to_receipt(fields)) if fields else None
