"""Whose words the pieces of a text are: of memories that an actor was shown, or can see."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from lamina import clock
from lamina.core.filters import parse
from lamina.core.text import estimate_tokens, query_terms
from lamina.paging.lines import line_of
from lamina.paging.shown import Said, shown_to
from lamina.paging.tiling import FEW, Laid, Tiling
from lamina.paging.wording import HERE, folded, unframed, weight, words_of
from lamina.stores.questions import Search

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.layers.face import Door
    from lamina.paging.statements import Piece

SEARCHED: Final = (
    "knowledge", "fact", "notebook", "episode", "item", "source", "task", "artifact", "now"
)  # fmt: skip
"""What is remembered as such. What was said and done is not: a reply is there before it is read."""
SAID: Final = ("log", "session", "archive")
"""These count where a label shows that they were put before a model."""
_TERMS: Final = 8
_CANDIDATES: Final = 12
_MOST_SEARCHES: Final = 64
_LONG, _WINDOW = 36, 18
"""From how many words on a piece is looked for in parts, and how many words each has."""
_PAIR: Final = re.compile(r"\w[\"'*_`]*\s*[:=]\s*\S")
"""A name with what it stands for."""
_LONGEST: Final = 20_000
_NEAR: Final = 4
"""How many lines of an object belong together."""


class Known:
    """The statements of memories that an actor was shown, or can see."""

    def __init__(
        self, door: Door, layers: Sequence[str] = SEARCHED, *, search: bool = True
    ) -> None:
        self._door = door
        self._layers = layers
        self._may_search = search
        self._shown = shown_to(door).known()
        self._found = Said()
        self._texts: dict[RecordId, str] = {}
        self._searches = 0

    def judge(self, pieces: Sequence[Piece]) -> Laid:
        """For each piece the record whose words it is, if there is one."""
        laid = self._judged(pieces)
        ids = {one for one in laid.whose if one is not None}
        gone = ids - {one.id for one in self._door.store.get(self._door.reach, list(ids))}
        if not gone:
            return laid
        # Another process has erased them.
        shown = shown_to(self._door)
        shown.forget(gone)
        self._shown = shown.known()
        return self._judged(pieces)

    def _judged(self, pieces: Sequence[Piece]) -> Laid:
        worded = [piece for piece in pieces if piece.words]
        before: list[str] = ["?" for _ in worded]
        while True:
            laid = self._lay(worded)
            grown = [
                number for number, left in enumerate(laid.left)
                if laid.whose[number] is None and left and left != before[number]
            ]  # fmt: skip
            before = list(laid.left)
            found = [self._search(worded[n], laid.left[n]) for n in grown]
            if not any(found):
                break
        return _spread(laid, pieces)

    def _lay(self, worded: Sequence[Piece]) -> Laid:
        known = [self._shown.statements, self._found.statements]
        laid = Tiling(worded, known).lay() if worded else Laid([], [], [])
        for number, piece in enumerate(worded):
            if laid.whose[number] is not None:
                continue
            if piece.is_labelled:
                found = (one.whole(piece.words) for one in known)
                laid.whose[number] = next((one for one in found if one), None)
            if piece.is_record:
                laid.whose[number] = self._listed(number, worded, laid)
            if HERE in piece.words:
                laid.whose[number] = self._cut(piece.words)
        return laid

    def _listed(self, number: int, worded: Sequence[Piece], laid: Laid) -> RecordId | None:
        """Whose row of a table or an object it is, where it says nothing but how that is marked."""
        near = [
            other for other in range(len(worded))
            if worded[other].is_record and abs(worded[other].line - worded[number].line) <= _NEAR
            and (other == number or laid.whose[other] is not None)
        ]  # fmt: skip
        for record in (one for other in near for one in laid.touching[other]):
            marks = self._shown.marks.get(record) or self._found.marks.get(record) or frozenset()
            if set(laid.left[number].split()) <= marks:
                return record
        return None

    def _cut(self, words: str) -> RecordId | None:
        """The record that begins and ends as a text does that was cut."""
        parts = [one.strip() for one in folded(words).split(HERE)]
        if len(parts) < 2 or not all(parts):
            return None
        whole = (one for one, text in self._texts.items() if all(part in text for part in parts))
        return next(whole, None)

    def _search(self, piece: Piece, left: str) -> bool:
        """Look for memories that say what is left of a piece; whether there are any more."""
        is_named = piece.is_labelled or piece.is_record or bool(_PAIR.search(piece.text))
        if not self._may_search or (weight(left) < FEW and not is_named):
            return False
        layers = [*self._layers, *(SAID if piece.is_labelled else ())]
        before, words = len(self._texts), left.split()
        # What is so long may be the words of several.
        size = len(words) if len(words) <= _LONG else _WINDOW
        for start in range(0, len(words), size):
            if self._searches < _MOST_SEARCHES:
                self._searches += 1
                self._take(_visible(self._door, " ".join(words[start : start + size]), layers))
        return len(self._texts) > before

    def _take(self, records: Iterable[Record]) -> None:
        for record in records:
            if record.id not in self._texts:
                body = line_of(record, estimate_tokens).body[:_LONGEST]
                lines = (words_of(unframed(line)) for line in body.splitlines())
                self._texts[record.id] = folded(" ".join(lines))
                self._found.add(record, body)


def _visible(door: Door, words: str, layers: Sequence[str]) -> list[Record]:
    """The memories within reach that are most likely to say some words."""
    terms = query_terms(words)[:_TERMS]
    where: dict[str, Any] = {"layer": {"$in": list(layers)}}
    if not terms:
        return []
    found = door.store.search(
        Search(reach=door.reach, terms=terms, where=parse(where), live_at=clock.now(),
               limit=_CANDIDATES)
    )  # fmt: skip
    # Who holds few of the words does not say them.
    return [match.record for match in found.matches if 3 * len(match.terms) >= len(terms)]


def _spread(laid: Laid, pieces: Sequence[Piece]) -> Laid:
    """What was found, by the numbers of all pieces: those without words are nobody's."""
    worded = [number for number, piece in enumerate(pieces) if piece.words]
    spread = Laid(
        [None] * len(pieces), [""] * len(pieces), [set() for _ in pieces],
        [range(worded[one[0]], worded[one[-1]] + 1) for one in laid.together],
    )  # fmt: skip
    for place, number in enumerate(worded):
        spread.whose[number] = laid.whose[place]
        spread.left[number] = laid.left[place]
        spread.touching[number] = laid.touching[place]
    return spread
