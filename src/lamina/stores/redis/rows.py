"""Records, events and receipts as Redis keeps them: short texts, read by nothing but this."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lamina.core import canonical
from lamina.core.chain import Head
from lamina.core.changes import Action, Event, Receipt
from lamina.core.ids import RecordId
from lamina.core.instants import from_text
from lamina.core.record import Record, from_json, to_json
from lamina.core.sealed import Sealed
from lamina.stores import receipts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

US: Final = "\x1f"
"""Stands between parts; no name may hold it."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Everything that is kept of one record."""

    order: int
    newest: Record
    versions: dict[int, Record]
    made: dict[int, datetime]
    """When each version was made, which need not be what it says of itself."""
    terms: tuple[str, ...] = ()
    sealed: list[Sealed] = field(default_factory=list)


def set_of(scope: str, layer: str) -> str:
    """The set of the records with this scope and layer."""
    return f"{scope}{US}{layer}"


def split_set(name: str) -> tuple[str, str]:
    """The scope and layer of a set."""
    scope, _, layer = name.partition(US)
    return scope, layer


def to_body(record: Record, *, told: bool) -> str:
    """A version as text. Unless told, its time is for the script to say, which knows the last."""
    said = to_json(record)
    if not told:
        said["updated_at"] = None
        if record.rev == 1:
            said["created_at"] = None
    return canonical.dumps(said)


def to_record(body: bytes) -> Record:
    """The version that a body says, behind the time that the script gave it."""
    at, _, text = body.decode().partition("\n")
    said = json.loads(text)
    for name in ("created_at", "updated_at"):
        said[name] = said[name] or at
    return from_json(said)


def to_kept(fields: Sequence[bytes]) -> Kept:
    """Everything of a record from the fields of its hash, names and values by turns."""
    said = dict(zip(fields[::2], fields[1::2], strict=True))
    bodies = {
        int(name[1:]): value
        for name, value in said.items()
        if name[:1] == b"v" and name[1:].isdigit()
    }
    versions = {rev: to_record(bodies[rev]) for rev in sorted(bodies)}
    made = {rev: from_text(body.partition(b"\n")[0].decode()) for rev, body in bodies.items()}
    sealed = [to_sealed(name, said[name]) for name in sorted(said) if name.startswith(b"ssecret:")]
    newest = versions[int(said[b"rev"])]
    return Kept(int(said[b"n"]), newest, versions, made, to_terms(said.get(b"terms")), sealed)


def to_terms(text: bytes | None) -> tuple[str, ...]:
    """The words that a record is found by."""
    return tuple(json.loads(text)) if text else ()


def from_terms(terms: Sequence[str]) -> str:
    """Words for keeping; nothing where there are none, for then it is no document."""
    return canonical.dumps(list(terms)) if terms else ""


def from_sealed(box: Sealed) -> list[str]:
    """A sealed value for keeping, with its name."""
    return [box.ref, canonical.dumps([box.kind, box.nonce.hex(), box.box.hex()])]


def to_sealed(name: bytes, value: bytes) -> Sealed:
    """A sealed value that was kept."""
    kind, nonce, box = json.loads(value)
    return Sealed(name[1:].decode(), kind, bytes.fromhex(nonce), bytes.fromhex(box))


def to_event(stream: str, entry: tuple[bytes, Mapping[bytes, bytes]]) -> Event:
    """An event of the log."""
    number, fields = entry
    tx, record, rev, action, actor, surface, at, mark = fields[b"e"].decode().split(US)
    return Event(
        stream=stream, seq=int(number.partition(b"-")[0]), tx=RecordId(tx),
        record=RecordId(record), rev=int(rev), action=Action(action), actor=actor,
        surface=surface, at=from_text(at), digest="", hash=mark,
    )  # fmt: skip


def to_head(text: bytes) -> Head:
    """The newest event of a stream."""
    seq, _, at, mark = text.decode().split(US)
    return Head(int(seq), mark, from_text(at))


def to_receipt(fields: Mapping[str, str]) -> Receipt:
    """A receipt that was kept."""
    known = receipts.from_text(fields["outcomes"])
    return Receipt(
        known.tx, known.outcomes, to_seqs(fields["seqs"]), known.durability, repeated=True
    )


def to_seqs(text: str | bytes) -> tuple[tuple[str, int], ...]:
    """The last number in each stream that a commit wrote to."""
    return tuple(sorted((stream, int(last)) for stream, _, last in json.loads(text)))


def texts(values: Iterable[Any]) -> list[str]:
    """Bytes as text."""
    return [value.decode() for value in values]
