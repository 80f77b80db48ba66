"""What the front door answers with."""

from dataclasses import dataclass

from lamina.core.ids import RecordId
from lamina.core.record import Record


@dataclass(frozen=True, slots=True)
class Hit:
    """A record that recall found, and why."""

    record: Record
    score: float
    terms: tuple[str, ...]
    """The words of the query that it holds, as the analyser writes them."""


@dataclass(frozen=True, slots=True)
class Recall:
    """The answer of a recall: what was found, and what was left out."""

    hits: tuple[Hit, ...]
    suppressed: int
    """How many older versions of these records were left out."""
    took_ms: float
    degraded: tuple[str, ...] = ()
    """Parts of the search that could not take part."""

    @property
    def abstained(self) -> bool:
        """Whether nothing relevant was found, so that nothing is returned."""
        return not self.hits


@dataclass(frozen=True, slots=True)
class Erasure:
    """The report of an erase: what went, where it was looked for, and what remains."""

    records: tuple[RecordId, ...]
    versions: int
    sealed: int
    files: int
    """Files that were scanned byte by byte; 0 where the store keeps none."""
    bytes: int
    residue: tuple[str, ...]
    """Files that still hold erased bytes; empty when the erase is complete."""
    unlooked: tuple[str, ...]
    """Places of the store where copies may lie and nobody could look."""
    mentions: tuple[RecordId, ...]
    """Other visible records that say the same words; erase them too if they should go."""
    chain_verified: bool

    @property
    def complete(self) -> bool:
        """Whether nothing of it is left in the store."""
        return not self.residue and not self.unlooked and self.chain_verified
