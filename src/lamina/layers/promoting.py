"""Promotion: something narrow becomes knowledge of a wider scope, on request and never by itself.

What is promoted stays where it was. The new record says where it came from and is believed no more
than what it was made of.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from lamina.core.access import may_name_source
from lamina.core.canonical import MAX_BYTES, dumps
from lamina.core.ids import check_id
from lamina.core.layers import LAYERS, check_kind_of
from lamina.core.names import MAX_KEY, check_kind
from lamina.core.record import State
from lamina.core.scope import GLOBAL
from lamina.errors import InvalidInputError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lamina.core.changes import Put
    from lamina.core.draft import Draft
    from lamina.core.principal import Principal
    from lamina.core.record import Record
    from lamina.core.scope import Scope
    from lamina.layers.face import Door
    from lamina.writing import WritePath

KNOWLEDGE: Final = "knowledge"
PREFERENCE: Final = "preference"
PROMOTE: Final = "promote"
"""Where a note's data says what kind of knowledge it becomes when its task ends."""
PROMOTED: Final = "promoted"
"""Where knowledge says what it was promoted from."""


def check_promotion(kind: object) -> str:
    """A kind of knowledge that something can become."""
    return check_kind_of(LAYERS[KNOWLEDGE], check_kind(kind))


def mark_of(note: Record) -> str | None:
    """What a note is marked to become; one that was written past the face may say no kind."""
    try:
        return check_promotion(note.data.get(PROMOTE))
    except InvalidInputError:
        return None


def promotable(door: Door, ids: Sequence[str], argument: str = "ids") -> list[Record]:
    """The records to be promoted, by id, in the order given; archived ones may still be."""
    if not ids:
        raise InvalidInputError("no record was named", remedy="Pass at least one id")
    for one in ids:
        check_id(one, argument)
    states = [State.CURRENT.value, State.ARCHIVED.value]
    where = {"id": {"$in": list(ids)}, "state": {"$in": states}}
    found = {str(one.id): one for one in door.query(where, limit=len(ids))}
    missing = [name for name in ids if name not in found]
    if missing:
        raise NotFoundError(f"there is no current or archived record {missing[0]!r:.60}")
    return list({name: found[name] for name in ids}.values())


def promotions(
    door: Door, path: WritePath, asked: Iterable[tuple[Record, str]], target: Scope
) -> list[Put]:
    """The changes that make each record knowledge of a kind; none for what is there already."""
    found: list[Put] = []
    for record, kind in asked:
        put = _promotion(door, path, record, check_promotion(kind), target, found)
        found += [] if put is None else [_asking_first(put)]
    return found


def _promotion(
    door: Door,
    path: WritePath,
    record: Record,
    kind: str,
    target: Scope,
    others: Sequence[Put],
) -> Put | None:
    """A new record, or a new version of what the same one was promoted to before."""
    states = [State.CURRENT.value, State.PROPOSED.value]
    where = {f"data.{PROMOTED}.id": record.id, "kind": kind, "state": {"$in": states}}
    before = _there(door, target, **where)
    if any(one.text == record.text for one in before):
        return None
    draft = _draft(record, kind, target, door.principal)
    current = next((one for one in before if one.state is State.CURRENT), None)
    if current is None and record.key is not None:
        # What others promoted under the same key is another statement, and stays.
        taken = {put.key for put in others if put.content.kind == kind}
        names = (record.key, f"{record.key} ({record.scope})"[:MAX_KEY])
        free = (name for name in names if name not in taken
                and not _there(door, target, kind=kind, key=name))  # fmt: skip
        # Without a key it is knowledge too; anybody could have taken both.
        if (key := next(free, None)) is not None:
            draft |= {"key": key, "expect": 0}
    [put] = path.puts([draft], target)
    return put if current is None else replace(put, revises=current.id)


def _there(door: Door, target: Scope, **where: Any) -> list[Record]:
    return door.query({"layer": KNOWLEDGE, "scope": target.path, **where})


def _draft(record: Record, kind: str, target: Scope, speaker: Principal) -> Draft:
    said = {name: value for name, value in record.data.items() if name != PROMOTE}
    origin = {"id": record.id, "layer": record.layer, "scope": record.scope,
              "source": record.source}  # fmt: skip
    data = {**said, PROMOTED: origin}
    if len(dumps(data).encode()) > MAX_BYTES:
        # It was as much as a record may hold, and where it came from matters more.
        data = {PROMOTED: origin}
    draft: dict[str, Any] = {
        "layer": KNOWLEDGE,
        "scope": target.path,
        "kind": kind,
        "text": record.text,
        "data": data,
        "tags": record.tags,
        "confidence": record.confidence,
        "via": record.trust.value,
    }
    if record.kind == kind:
        draft["importance"] = record.importance
    if may_name_source(speaker):
        draft["source"] = record.source
    return cast("Draft", draft)


def _asking_first(put: Put) -> Put:
    """A preference that would hold for everybody waits for somebody to say yes."""
    asks = put.scope == GLOBAL.path and put.content.kind == PREFERENCE
    return replace(put, proposal=True) if asks else put
