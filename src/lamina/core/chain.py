"""The hash chain of a stream: each event seals all that came before it.

Events are made here from the steps of a plan, for every store alike.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from lamina.core import canonical
from lamina.core.changes import Commit, Event
from lamina.core.instants import to_text
from lamina.core.planning import Step
from lamina.core.record import Record, canonical_bytes
from lamina.core.scope import stream_of

GENESIS: Final = ""


@dataclass(frozen=True, slots=True)
class Head:
    """The newest link of a stream's chain."""

    seq: int = 0
    hash: str = GENESIS
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Break:
    """Where a chain does not hold, and why."""

    stream: str
    seq: int
    reason: str


def digest(record: Record, salt: bytes) -> str:
    """The fingerprint of one version that says nothing about it without its salt."""
    return hashlib.sha256(salt + canonical_bytes(record)).hexdigest()


def extend(
    commit: Commit, steps: Iterable[Step], heads: Mapping[str, Head], salts: Iterable[bytes]
) -> list[Event]:
    """The events that follow from the steps, linked behind the heads of their streams."""
    newest = dict(heads)
    events = []
    for step, salt in zip(steps, salts, strict=True):
        record = step.subject
        stream = stream_of(record.scope)
        head = newest.get(stream, Head())
        at = commit.at if head.at is None else max(commit.at, head.at)
        event = Event(
            stream=stream, seq=head.seq + 1, tx=commit.tx, record=record.id, rev=record.rev,
            action=step.action, actor=commit.by.name, surface=commit.by.surface.value, at=at,
            digest=digest(record, salt),
        )  # fmt: skip
        event = replace(event, hash=_hash(event, head.hash))
        newest[stream] = Head(event.seq, event.hash, at)
        events.append(event)
    return events


def verify(events: Iterable[Event]) -> Iterator[Break]:
    """Yield every place where one stream's events, in order, do not follow from each other."""
    previous, last = GENESIS, None
    for event in events:
        if event.seq != (last.seq + 1 if last else 1):
            yield Break(event.stream, event.seq, "an event is missing before this one")
        elif last and event.at < last.at:
            yield Break(event.stream, event.seq, "its time is before that of the event before")
        elif event.hash != _hash(event, previous):
            yield Break(event.stream, event.seq, "the event or one before it was altered")
        previous, last = event.hash, event


def _hash(event: Event, previous: str) -> str:
    body = [
        previous, event.stream, event.seq, event.tx, event.record, event.rev,
        event.action.value, event.actor, event.surface, to_text(event.at), event.digest,
    ]  # fmt: skip
    return hashlib.sha256(canonical.dumps(body).encode()).hexdigest()
