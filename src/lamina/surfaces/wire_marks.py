"""Where something stands in a text, for who shows it: in units of UTF-16, as pages count."""

from itertools import islice
from typing import TYPE_CHECKING, Final

from lamina.core.text.matching import Span, matched

if TYPE_CHECKING:
    from lamina.results import Hit

_LONGEST: Final = 6_000
"""How far into a text it is looked."""
_MOST: Final = 200
_BASIC: Final = "\uffff"


def marks_out(hit: "Hit") -> dict[str, list[Span]]:
    """Begin and end of each word that matched, by where it stands, in units of UTF-16."""
    record, terms = hit.record, frozenset(hit.terms)
    places = {"text": record.text, "key": record.key or "", "source": record.source}
    places |= {f"tags.{number}": tag for number, tag in enumerate(record.tags)}
    found = {name: _marks(text[:_LONGEST], terms) for name, text in places.items()}
    return {name: spans for name, spans in found.items() if spans}


def units_out(text: str, spans: list[Span]) -> list[Span]:
    """Places in a text, told in units of UTF-16 instead of characters."""
    if not spans or max(text, default="") <= _BASIC:
        return spans
    return [(_units(text[:begin]), _units(text[:end])) for begin, end in spans]


def _marks(text: str, terms: frozenset[str]) -> list[Span]:
    return units_out(text, list(islice(matched(text, terms), _MOST)))


def _units(text: str) -> int:
    return len(text) + sum(one > _BASIC for one in text)
