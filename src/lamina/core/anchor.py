"""Anchors: how far each stream of a store had come, to be kept where the store is not.

A chain shows that its events follow from each other. It cannot show that its end was cut off, or
that all of it was made anew: that needs one link of it, kept elsewhere.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from lamina.core import canonical
from lamina.core.chain import Break, Head
from lamina.core.instants import check_instant, to_text
from lamina.core.scope import Scope
from lamina.errors import InvalidInputError, LaminaError

_FORMAT: Final = "lamina-anchor-1"
_NAMES: Final = frozenset(("format", "store", "at", "heads"))
_HEAD: Final = frozenset(("stream", "seq", "hash"))
_HASH: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Anchor:
    """The newest link of each chain of one store at one time."""

    store: str
    at: datetime
    heads: tuple[tuple[str, int, str], ...]
    """Each stream with the sequence number and hash of its last event."""

    def to_json(self) -> dict[str, Any]:
        """The anchor as a JSON document."""
        heads = [{"stream": name, "seq": seq, "hash": last} for name, seq, last in self.heads]
        return {"format": _FORMAT, "store": self.store, "at": to_text(self.at), "heads": heads}

    def to_text(self) -> str:
        """The document as text, for a file."""
        return json.dumps(self.to_json(), indent=2) + "\n"


def parse_anchor(text: str, argument: str = "anchor") -> Anchor:
    """Read what `to_text` wrote; anything else is refused."""
    try:
        return _read(canonical.loads(text, argument), argument)
    except (KeyError, TypeError, AttributeError, LaminaError):
        raise InvalidInputError(
            f"`{argument}` is not an anchor",
            remedy="Pass what `lamina audit anchor` or `mem.anchor()` gave you, unaltered",
        ) from None


def departures(anchor: Anchor, found: Mapping[str, Head]) -> Iterator[Break]:
    """Where a store has left the history that was anchored.

    `found` holds the link that each stream has now at the anchored place, or its last one where it
    does not come so far.
    """
    for stream, seq, last in anchor.heads:
        head = found.get(stream, Head())
        if head.seq == 0:
            why = f"the whole stream is gone, with the {seq} events that it had"
        elif head.seq < seq:
            why = (
                f"events {head.seq + 1} to {seq} are gone: the end was cut off, or an older copy"
                " of the store was put back"
            )
        elif head.hash != last:
            why = (
                "this is not the event that was anchored: history was rewritten, or an older copy"
                " of the store was put back and written on"
            )
        else:
            continue
        yield Break(stream, seq, why)


def _read(value: Any, argument: str) -> Anchor:
    if set(value) != _NAMES or value["format"] != _FORMAT or not isinstance(value["heads"], list):
        raise TypeError
    heads = tuple(_head(one, argument) for one in value["heads"])
    if len({name for name, _, _ in heads}) < len(heads):
        raise TypeError
    store = canonical.check_text(value["store"], "store", limit=1000)
    return Anchor(store, check_instant(value["at"], "at"), heads)


def _head(value: Any, argument: str) -> tuple[str, int, str]:
    stream, seq, last = value["stream"], value["seq"], value["hash"]
    scope = Scope.of(stream, argument)
    counted = isinstance(seq, int) and not isinstance(seq, bool) and seq > 0
    hashed = isinstance(last, str) and _HASH.fullmatch(last)
    if set(value) != _HEAD or scope.path != scope.stream or not counted or not hashed:
        raise TypeError
    return stream, seq, last
