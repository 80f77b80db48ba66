"""Which record each entry of a file already is. Pure.

An entry is the record that says the same, else the one with its block id or key, else one of the
same section that shares at least half of its words. What remains is new, or gone from the file.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from lamina.core.record import Record
from lamina.core.text import tokens
from lamina.importing.marking import marked
from lamina.importing.wanted import Wanted

_ALIKE: Final = 0.5
_LOOKED_AT: Final = 20
"""How many records an entry without a match is compared with: enough for a page, and bounded."""


@dataclass(frozen=True, slots=True)
class Match:
    """An entry with its record; one of the two may be missing."""

    entry: Wanted | None
    record: Record | None


def match(
    entries: Sequence[Wanted], records: Sequence[Record], text_of: Callable[[Record], str]
) -> list[Match]:
    """Pair entries with records: first in the order of the entries, then the records left over.

    `text_of` says what a record said when it was imported.
    """
    pairing = _Pairing(entries, records)
    pairing.by(lambda e: (e.digest, e.place), lambda r: (marked(r).digest, marked(r).place))
    pairing.by(lambda e: e.digest, lambda r: marked(r).digest)
    pairing.by(lambda e: e.data.get("block"), lambda r: r.data.get("block"))
    pairing.by(lambda e: (e.kind, e.key) if e.key else None, lambda r: (r.kind, r.key))
    pairing.by(lambda e: e.key, lambda r: r.key)
    pairing.by_likeness(text_of)
    return pairing.matches()


class _Pairing:
    """What is paired so far; each step pairs some of what is left, in order."""

    def __init__(self, entries: Sequence[Wanted], records: Sequence[Record]) -> None:
        self._entries = entries
        self._records = sorted(records, key=lambda record: (record.data["line"], record.id))
        self._found: dict[int, Record] = {}
        self._taken: set[str] = set()

    def by(
        self,
        of_entry: Callable[[Wanted], Hashable | None],
        of_record: Callable[[Record], Hashable | None],
    ) -> None:
        """Pair what agrees in something; what has none of it is not paired."""
        waiting: dict[Hashable, deque[Record]] = defaultdict(deque)
        for record in self._left_records():
            waiting[record.key, of_record(record)].append(record)
        for number in self._left_entries():
            entry = self._entries[number]
            meant = of_entry(entry)
            if meant is not None and (candidates := waiting.get((entry.key, meant))):
                self._pair(number, candidates.popleft())

    def by_likeness(self, text_of: Callable[[Record], str]) -> None:
        """Pair what stands in the same section and says nearly the same."""
        sections: dict[Hashable, list[tuple[Record, frozenset[str]]]] = defaultdict(list)
        for record in self._left_records():
            words = _words(text_of(record))
            sections[record.key, record.data.get("section", "")].append((record, words))
        for number in self._left_entries():
            entry = self._entries[number]
            candidates = sections.get((entry.key, entry.section), [])[:_LOOKED_AT]
            said = _words(entry.text)
            best = max(candidates, key=lambda one: _likeness(said, one[1]), default=None)
            if best is not None and _likeness(said, best[1]) >= _ALIKE:
                sections[entry.key, entry.section].remove(best)
                self._pair(number, best[0])

    def matches(self) -> list[Match]:
        paired = [Match(entry, self._found.get(n)) for n, entry in enumerate(self._entries)]
        return paired + [Match(None, record) for record in self._left_records()]

    def _pair(self, number: int, record: Record) -> None:
        self._found[number] = record
        self._taken.add(record.id)

    def _left_entries(self) -> list[int]:
        return [number for number in range(len(self._entries)) if number not in self._found]

    def _left_records(self) -> Iterable[Record]:
        return [record for record in self._records if record.id not in self._taken]


def _words(text: str) -> frozenset[str]:
    """The words as they stand; where a script has no spaces, what it is searched by."""
    words = frozenset(text.lower().split())
    return words if len(words) > 1 else frozenset(tokens(text))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    both = len(one) + len(other)
    return 2 * len(one & other) / both if both else 0.0
