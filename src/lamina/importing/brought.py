"""What an import of another tool's memories came to."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from lamina.core.ids import RecordId
from lamina.importing.formats.items import Item, Place
from lamina.importing.report import Fate
from lamina.sealing import scrub

_NAMED: Final = 1000
_SAMPLES: Final = 5
_SHOWN: Final = 200
_TO_LOOK_AT: Final = frozenset((Fate.FAILED, Fate.CONFLICT, Fate.PROPOSED))


@dataclass(frozen=True, slots=True)
class Told:
    """One item and what became of it."""

    fate: Fate
    place: Place
    note: str = ""
    text: str = ""
    """The beginning of what it says, without secrets."""
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Brought:
    """What became of the items of a file, or after a dry run would."""

    applied: bool
    format: str
    scope: str
    counts: Mapping[Fate, int]
    sessions: int
    """How many sessions the items belong to."""
    reasons: Mapping[str, int]
    """Why something was left out or refused, each with how often."""
    problems: tuple[Told, ...]
    """What should be looked at: the first 1,000."""
    samples: tuple[Told, ...]
    """The first few of each fate."""
    sealed: int
    """Secrets that were found in what was written, and sealed."""
    transactions: tuple[RecordId, ...]
    """What `undo` takes, one for each batch that was written."""

    def count(self, fate: Fate) -> int:
        """How many items came to this."""
        return self.counts.get(fate, 0)


@dataclass(slots=True)
class Tally:
    """The counts so far; however many items there are, it stays small."""

    counts: Counter[Fate] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    problems: list[Told] = field(default_factory=list)
    samples: dict[Fate, list[Told]] = field(default_factory=dict)
    sessions: set[str] = field(default_factory=set)
    sealed: int = 0

    def item(self, fate: Fate, item: Item, note: str = "") -> None:
        """Count an item."""
        if item.session is not None:
            self.sessions.add(item.session)
        told = Told(fate, item.place, note, scrub(item.text[:_SHOWN]), item.session)
        self._count(told)

    def place(self, fate: Fate, place: Place, reason: str) -> None:
        """Count a place where there is nothing to keep."""
        self._count(Told(fate, place, scrub(reason)))

    def _count(self, told: Told) -> None:
        self.counts[told.fate] += 1
        if told.note and len(self.reasons) < _NAMED:
            self.reasons[told.note] += 1
        if told.fate in _TO_LOOK_AT and len(self.problems) < _NAMED:
            self.problems.append(told)
        samples = self.samples.setdefault(told.fate, [])
        if len(samples) < _SAMPLES:
            samples.append(told)

    def report(
        self,
        *,
        applied: bool,
        form: str,
        scope: str,
        transactions: list[RecordId],
    ) -> Brought:
        """What it came to in the end."""
        samples = tuple(told for fate in Fate for told in self.samples.get(fate, ()))
        return Brought(
            applied=applied, format=form, scope=scope, counts=dict(self.counts),
            sessions=len(self.sessions), reasons=dict(self.reasons), problems=tuple(self.problems),
            samples=samples, sealed=self.sealed, transactions=tuple(transactions),
        )  # fmt: skip
