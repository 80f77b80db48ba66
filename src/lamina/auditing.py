"""Auditing a store: whether its log is whole, and still the one that was anchored.

A handle audits the streams that lie open to it as a whole; of any other it could not say what an
event is about.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from lamina.core.anchor import Anchor, departures, parse_anchor
from lamina.core.chain import Head
from lamina.core.instants import to_text
from lamina.core.scope import GLOBAL, is_hot
from lamina.errors import ForbiddenError, InvalidInputError, StoreDamagedError
from lamina.stores.base import Finding, Severity
from lamina.timing import StoreClock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.core.access import Reach
    from lamina.stores.base import Store

_REMEDY: Final = (
    "Keep the files as they are, find out who changed them, and compare with a backup made before"
)


def anchor(store: Store, reach: Reach) -> Anchor:
    """How far the streams have come that this reach sees as a whole."""
    identity, heads = store.identity, store.position(_auditable(reach))
    # What is anchored must outlast a power cut, or the loss of it would look like tampering.
    store.flush()
    # What is hot has no chain, and so nothing to hold it by.
    chained = {name: head for name, head in heads.items() if not is_hot(name)}
    links = sorted((name, head.seq, head.hash) for name, head in chained.items())
    return Anchor(identity, StoreClock(store).now(), tuple(links))


def verify(store: Store, reach: Reach, given: Anchor | str | None) -> list[Finding]:
    """What is wrong with the log, or that nothing is."""
    known = parse_anchor(given) if isinstance(given, str) else given
    streams = _auditable(reach)
    if known is None:
        return store.audit(streams)
    _check_anchor(known, store)
    return [*store.audit(streams), *_held_against(known, store, reach)]


def _auditable(reach: Reach) -> list[str] | None:
    """The streams within reach that lie open as a whole; `None` when all of them do."""
    within = reach.streams()
    if not any(reach.sees_stream(name) for name in within or (GLOBAL.path,)):
        raise ForbiddenError(
            "this handle sees no stream as a whole, and so cannot audit one",
            remedy="Ask an orchestrator or admin of the project, or the owner of the store",
        )
    return None if within is None else [name for name in within if reach.sees_stream(name)]


def _check_anchor(known: object, store: Store) -> None:
    if not isinstance(known, Anchor):
        raise InvalidInputError(f"`anchor` must be an anchor, not {type(known).__name__}")
    if known.store != store.identity:
        raise InvalidInputError(
            "`anchor` was made from another store",
            remedy="Name the store that it belongs to; a store made anew has another identity",
        )


def _held_against(known: Anchor, store: Store, reach: Reach) -> Iterator[Finding]:
    mine = replace(known, heads=tuple(one for one in known.heads if reach.sees_stream(one[0])))
    try:
        found = {stream: _link(store, stream, seq) for stream, seq, _ in mine.heads}
    except StoreDamagedError as error:
        yield Finding("anchor", Severity.RECORD, error.message, _REMEDY)
        return
    wrong = list(departures(mine, found))
    for one in wrong:
        said = f"{one.stream} event {one.seq}: {one.reason}"
        yield Finding("anchor", Severity.RECORD, said, _REMEDY)
    if not wrong:
        said = f"the log still holds the events anchored at {to_text(known.at)}"
        yield Finding("anchor", Severity.OK, said)
    if beyond := len(known.heads) - len(mine.heads):
        said = f"{beyond} of the anchored streams lie beyond this handle and were not compared"
        yield Finding("anchor", Severity.NOTE, said)


def _link(store: Store, stream: str, seq: int) -> Head:
    """The link at a place in a chain, or the last one where it does not come so far."""
    for event in store.events(stream, after=seq - 1, limit=1):
        return Head(event.seq, event.hash, event.at)
    head = store.position([stream]).get(stream, Head())
    # A note that says more than the events do proves nothing.
    return head if head.seq < seq else Head(seq - 1, "")
