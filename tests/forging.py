"""A forger's work: events with hashes that follow from each other, whatever they say."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from lamina.core import canonical, chain
from lamina.core.changes import Event
from lamina.core.instants import to_text


def chained(events: Sequence[Event]) -> list[Event]:
    """The events numbered from 1 and sealed one by one; nothing in them gives it away."""
    forged: list[Event] = []
    for number, event in enumerate(events, start=1):
        previous = forged[-1].hash if forged else chain.GENESIS
        body = [
            previous, event.stream, number, event.tx, event.record, event.rev,
            event.action.value, event.actor, event.surface, to_text(event.at), event.digest,
        ]  # fmt: skip
        digest = hashlib.sha256(canonical.dumps(body).encode()).hexdigest()
        forged.append(replace(event, seq=number, hash=digest))
    assert not list(chain.verify(forged))
    return forged
