"""Echoes: a model's words that are only what it was shown. They are never learned back.

What was shown is known again in the process that showed it, and otherwise by looking whether a text
is made of the words of memories that the same actor can see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina import clock
from lamina.core.filters import parse
from lamina.core.text import estimate_tokens, query_terms
from lamina.paging.lines import line_of
from lamina.paging.shown import shown_to
from lamina.paging.statements import Piece, Row, halves, pair, plain, rows, statements
from lamina.stores.questions import Search

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.layers.face import Door

SEARCHED: Final = (
    "knowledge", "fact", "notebook", "episode", "item", "source", "task", "artifact", "now"
)  # fmt: skip
"""What is remembered as such. What was said and done is not: a reply is there before it is read."""
SAID: Final = ("log", "session", "archive")
"""These count where a label shows that they were put before a model."""
_SHORT: Final = 3
"""Fewer words than this are nobody's."""
_TERMS: Final = 8
_CANDIDATES: Final = 12
_MOST_SEARCHES: Final = 64


def without_echoes(door: Door, text: str) -> str:
    """A text less what was put before the model that wrote it.

    Fenced blocks go as they are. A sentence goes where it is the words of a memory, with or without
    its label, unless the next one says something new about it.
    """
    lines = list(rows(text))
    judged = Known(door).judge(lines)
    kept = [_new_in(row, whose) for row, whose in zip(lines, judged, strict=True)]
    return "\n".join(line for line in kept if line.strip("> \t"))


class Known:
    """The statements of memories that an actor was shown, or can see."""

    def __init__(
        self, door: Door, layers: Sequence[str] = SEARCHED, *, search: bool = True
    ) -> None:
        self._door = door
        self._layers = layers
        self._may_search = search
        self._shown = shown_to(door).known()
        self._found: dict[str, RecordId] = {}
        self._texts: dict[RecordId, str] = {}
        self._searches = 0

    def judge(self, lines: Sequence[Row]) -> list[list[RecordId | None]]:
        """For each sentence of each line the record whose words it is, if there is one."""
        found = [[self._whose(piece, row) for piece in row.pieces] for row in lines]
        # Once it is known where the long ones come from, the short ones beside them are too.
        for number, row in enumerate(lines):
            if row.pieces and not any(found[number]) and _is_short(row.plain):
                found[number] = [self._beside(lines, number)] * len(row.pieces)
        return found

    def _whose(self, piece: Piece, row: Row) -> RecordId | None:
        if _is_short(piece.plain) and not row.is_labelled:
            return None
        shown = self._shown.get(piece.plain)
        if shown is not None:
            return shown
        return self._seen(piece.plain) or self._searched(piece, row.is_labelled)

    def _beside(self, lines: Sequence[Row], number: int) -> RecordId | None:
        """Whose words a short line is, by the line before it, or the first one by the next."""
        first, second = (number - 1, number) if number else (0, 1)
        if second >= len(lines):
            return None
        both = pair(lines[first].plain, lines[second].plain)
        return self._shown.get(both) or self._found.get(both)

    def _seen(self, statement: str) -> RecordId | None:
        found = self._found.get(statement)
        if found is not None:
            return found
        parts = halves(statement)
        if len(parts) < 2:
            return None
        whole = (one for one, text in self._texts.items() if all(part in text for part in parts))
        return next(whole, None)

    def _searched(self, piece: Piece, is_labelled: bool) -> RecordId | None:
        if not self._may_search or self._searches >= _MOST_SEARCHES:
            return None
        self._searches += 1
        layers = [*self._layers, *(SAID if is_labelled else ())]
        for record in _visible(self._door, piece.plain, layers):
            if record.id not in self._texts:
                body = line_of(record, estimate_tokens).body
                self._texts[record.id] = plain(body)
                said = statements(record.text) | statements(body) | {self._texts[record.id]}
                self._found.update(dict.fromkeys(said, record.id))
        return self._seen(piece.plain)


def _visible(door: Door, statement: str, layers: Sequence[str]) -> list[Record]:
    """The memories within reach that are most likely to hold a statement, by its words."""
    terms = query_terms(statement)[:_TERMS]
    where: dict[str, Any] = {"layer": {"$in": list(layers)}}
    if not terms:
        return []
    found = door.store.search(
        Search(reach=door.reach, terms=terms, where=parse(where), live_at=clock.now(),
               limit=_CANDIDATES)
    )  # fmt: skip
    return [match.record for match in found.matches]


def _is_short(statement: str) -> bool:
    return len(statement.split()) < _SHORT


def _new_in(row: Row, whose: Sequence[RecordId | None]) -> str:
    """What a line says that nobody was shown."""
    echoes = [one is not None for one in whose]
    if not any(echoes):
        return row.text
    # What comes right before something new is what that is about.
    kept = [
        piece.words
        for n, piece in enumerate(row.pieces)
        if not echoes[n] or (n + 1 < len(echoes) and not echoes[n + 1])
    ]
    return " ".join(kept)
