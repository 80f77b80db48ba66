"""The values of ranking: candidates, what is known of the whole search, ranked records."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lamina.core.ids import RecordId
from lamina.core.record import Record
from lamina.core.usage import Usage


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record that may answer, with what the search found out about it."""

    record: Record
    keyword: float = 0.0
    """Its BM25 score, also where it was found in another way."""
    coverage: float = 0.0
    """How much of what the question's words tell it holds, from 0 to 1."""
    terms: tuple[str, ...] = ()
    cosine: float | None = None
    """Nearness to the question in meaning; nothing while its vector is pending or there is none."""
    before: RecordId | None = None
    """What was said right before it in the same conversation."""
    used: Usage | None = None
    """How often it was handed out before; nothing where that is not counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """What the search knows about the whole store, against which a candidate stands out."""

    documents: int
    """How many documents the keyword statistics are of."""
    weights: Mapping[str, float] = field(default_factory=dict, hash=False)
    """How much each term of the question tells: weight times idf, also where no record has it."""
    cosine_mean: float | None = None
    """The question's mean cosine to a sample of everything in reach; nothing without vectors."""
    cosine_sample: int = 0
    """How many vectors that mean is of."""
    unrelated: float = 0.0
    """The cosine of texts which have nothing to do with each other, compared with our own embedder.

    Where it is wrong, order hardly suffers, but probabilities do.
    """

    @property
    def has_vectors(self) -> bool:
        """Whether meaning was looked at, not words alone."""
        return self.cosine_mean is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How the caller wants the result."""

    floor: float | None = None
    """Nothing is returned when the best is less probable; the measured default if not given."""
    least: float = 0.0
    """The least probability of each record returned."""
    limit: int = 10
    diversity: float = 0.0
    """From 0, the best regardless of what they repeat, to 1, as different as can be."""
    collapse: bool = True
    """Whether near-duplicates are left out in favour of the best of them."""
    weights: Mapping[str, float] = field(default_factory=dict, hash=False)
    """How much parts count, by name, instead of 1; with 0 a part is left out."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A record with its probability of relevance and what that is made of."""

    record: Record
    probability: float
    score: float
    """The logarithm of the odds: what the parts add up to."""
    parts: Mapping[str, float] = field(hash=False)
    terms: tuple[str, ...] = ()
    duplicates: tuple[RecordId, ...] = ()
    """Others that say nearly the same and were left out for it."""
