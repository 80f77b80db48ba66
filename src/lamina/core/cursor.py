"""Cursors: a place in a store's history, as text that only the store reads.

A cursor says how far each stream had come, and a little of the chain's hash there. So one from
another store, or from a history that a restore has taken back, is noticed instead of skipping what
happened since.
"""

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from lamina.core import canonical
from lamina.core.instants import check_instant, to_text
from lamina.core.scope import Scope, root_of
from lamina.errors import InvalidInputError, LaminaError

_MARK: Final = "c1."
_LONGEST: Final = 4_000_000
HASH_LENGTH: Final = 12
"""Characters of a hash: enough to tell histories apart that nobody forged."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far the streams of one store had come."""

    store: str
    at: datetime
    """When that was, for what expires."""
    places: Mapping[str, tuple[int, str]]
    """For each stream, the sequence number of its last event and the beginning of its hash."""
    noted: int | None = None
    """The number of the last notice that was heard; without it, those before `at` are past."""
    within: tuple[str, ...] | None = None
    """The streams that its handle could see; `None` when that was every one."""

    @property
    def seqs(self) -> dict[str, int]:
        """The sequence numbers alone."""
        return {stream: seq for stream, (seq, _) in self.places.items()}

    def seq_of(self, stream: str) -> int:
        """The sequence number of a stream's last event before this place; 0 before them all."""
        return self.places.get(stream, (0, ""))[0]

    def covers(self, other: "Cursor") -> bool:
        """Whether everything before the other place lies before this one too."""
        return all(self.seq_of(stream) >= seq for stream, (seq, _) in other.places.items())

    def moved(self, stream: str, seq: int, digest: str, at: datetime) -> "Cursor":
        """The place behind one more event."""
        places = {**self.places, stream: (seq, digest[:HASH_LENGTH])}
        return replace(self, at=max(self.at, at), places=places)

    def to_text(self) -> str:
        """The cursor as text that fits in a header, an address or an environment variable."""
        places = {stream: list(place) for stream, place in self.places.items()}
        within = None if self.within is None else list(self.within)
        body = canonical.dumps([self.store, to_text(self.at), places, self.noted, within])
        packed = base64.urlsafe_b64encode(zlib.compress(body.encode(), 9))
        return _MARK + packed.decode().rstrip("=")


def is_cursor(value: object) -> bool:
    """Whether this was meant as a cursor, rather than as an instant."""
    return isinstance(value, str) and value.startswith(_MARK)


def parse_cursor(text: object, argument: str) -> Cursor:
    """Read what `to_text` wrote; anything else is refused."""
    try:
        return _read(str(text), argument)
    except (ValueError, TypeError, AttributeError, LaminaError, zlib.error):
        raise InvalidInputError(
            f"`{argument}` is not a cursor: {text!r:.60}",
            remedy="Pass one that a change, a feed or `mem.cursor()` gave you, unaltered",
        ) from None


def _read(text: str, argument: str) -> Cursor:
    if not is_cursor(text) or len(text) > _LONGEST:
        raise ValueError
    packed = text.removeprefix(_MARK)
    read = canonical.loads(_unpacked(packed + "=" * (-len(packed) % 4)), argument)
    store, at, places, noted, within = read
    found = {_stream(name): (_counted(seq), str(digest)) for name, (seq, digest) in places.items()}
    return Cursor(
        store=str(store),
        at=check_instant(at, argument),
        places=found,
        noted=None if noted is None else _counted(noted, least=0),
        within=None if within is None else tuple(map(_stream, within)),
    )


def _unpacked(packed: str) -> str:
    reader = zlib.decompressobj()
    # Bounded: a few bytes can unpack to a gigabyte.
    body = reader.decompress(base64.b64decode(packed, altchars=b"-_", validate=True), _LONGEST)
    if not reader.eof:
        raise ValueError
    return body.decode()


def _stream(name: str) -> str:
    scope = Scope.of(root_of(name))
    if scope.path != scope.stream:
        raise ValueError
    return name


def _counted(value: object, least: int = 1) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= least:
        return value
    raise ValueError
