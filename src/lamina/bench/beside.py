"""One store beside others that were told the same and asked the same."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from lamina.bench.answers import USUAL, RetrievalFigures, SetAnswers

MEASURES: Final = (
    "mrr", "recall@1", "recall@5", "recall@10", "recall@10_no_floor", "all@10", "silent",
)  # fmt: skip
"""What is compared: how good the answers are, and not how fast."""
_SHARED: Final = ("bench", "ablations")
"""What is said once for all stores."""


@dataclass(frozen=True, slots=True)
class Beside:
    """The figures of the first store, and how those of the others differ."""

    stores: Mapping[str, RetrievalFigures]

    def to_json(self) -> dict[str, Any]:
        """The first as if it were alone; the others below `beside`, with the points between."""
        (_, first), *others = self.stores.items()
        figures = first.to_json()
        if not others:
            return figures
        return figures | {
            "beside": {name: _against(first, figures, other) for name, other in others}
        }


def _against(first: RetrievalFigures, figures: dict[str, Any], other: RetrievalFigures) -> Any:
    found = other.to_json()
    sets = {name: points(figures["sets"][name], one) for name, one in found["sets"].items()}
    unlike = {
        one.name: _unlike(one, same) for one, same in zip(first.sets, other.sets, strict=True)
    }
    return {name: value for name, value in found.items() if name not in _SHARED} | {
        "points": {"sets": sets, "mean": points(figures["mean"], found["mean"])},
        "answered_otherwise": unlike,
    }


def points(one: Mapping[str, float], other: Mapping[str, float]) -> dict[str, float]:
    """By how many points of a hundred each measure of the other is better or worse."""
    both = [name for name in MEASURES if name in one and name in other]
    return {name: round(100 * (other[name] - one[name]), 2) for name in both}


def _unlike(one: SetAnswers, other: SetAnswers) -> int:
    """How many questions got other documents, or the same in another order."""
    pairs = zip(one.ranked[USUAL], other.ranked[USUAL], strict=True)
    return sum(mine != theirs for mine, theirs in pairs)
