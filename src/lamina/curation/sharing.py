"""Which memories name the same things: by the words of the keyword index that tell most."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lamina.core.filters import parse
from lamina.core.layers import LAYERS
from lamina.core.sealed import REFERENCE
from lamina.core.text import query_terms
from lamina.core.text.words import analyse
from lamina.stores.questions import Search

if TYPE_CHECKING:
    from datetime import datetime

    from lamina.core.access import Reach
    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.stores.base import Store

_LONGEST: Final = 4_000
"""How many characters of a text are looked at."""
_ASKED: Final = 24
_LOOKED_AT: Final = 24
_TOLD: Final = 3
"""How many words are told of those that two have in common."""
_LEAST: Final = 0.2
"""How much of what a memory's words tell another must hold, unless both name the same thing."""
# Each character is looked at a few times at most, whatever a text is made of.
_NAME: Final = re.compile(r"[./:@#-]{0,3}\w+(?:[./:@#-]{1,3}\w+)*")
_IN_SENTENCE: Final = re.compile(r"(?<![.!?:\n \t])[ \t]+([A-Z]\w+)")
_BUILT: Final = re.compile(r"\w[_./:@#-]\w|\w\d|\d\w|[a-z][A-Z]|^[A-Z]{2,}$")


def shared_words(store: Store, reach: Reach, record: Record, now: datetime) -> dict[RecordId, str]:
    """Memories that say some of the same words, the nearest first, each with those words.

    One thing that both name, such as Redis or `src/main.py`, is enough; of common words it takes
    more.
    """
    text = REFERENCE.sub(" ", f"{record.key or ''}\n{record.text[:_LONGEST]}")
    terms = query_terms(" ".join((text, *record.tags)))[:_ASKED]
    if not terms:
        return {}
    # What recall would not bring up is nobody's neighbour, but in its own layer.
    layers = [one.name for one in LAYERS.values() if one.recalled or one.name == record.layer]
    where = parse({"layer": {"$in": layers}})
    asked = Search(reach=reach, terms=terms, where=where, live_at=now, limit=_LOOKED_AT)
    found = store.search(asked)
    written, names = _written(text)
    nearest: list[tuple[tuple[int, float], RecordId, str]] = []
    for match in found.matches:
        both = sorted(match.terms, key=lambda token: -found.worths.get(token, 0.0))
        named = [token for token in both if token in names]
        if match.record.id == record.id or not both:
            continue
        if named or (len(both) > 1 and match.coverage >= _LEAST):
            told = [written[token] for token in (*named, *both) if token in written]
            rank = (min(len(named), _TOLD), match.coverage)
            nearest.append((rank, match.record.id, ", ".join([*dict.fromkeys(told)][:_TOLD])))
    nearest.sort(key=lambda one: one[0], reverse=True)
    return {one: said for _, one, said in nearest}


def _written(text: str) -> tuple[dict[str, str], set[str]]:
    """How each token is written in a text, and which of them are names of something."""
    capital = set(_IN_SENTENCE.findall(text))
    written: dict[str, str] = {}
    names: set[str] = set()
    for word in _NAME.findall(text):
        for token in analyse(word).wholes:
            written.setdefault(token, word)
            if word in capital or _BUILT.search(word):
                names.add(token)
    return written, names
