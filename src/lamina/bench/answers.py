"""What the stores of a set answered, and the figures that are worked out from it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Final

from lamina.bench.crossing import Origin
from lamina.bench.measure import at, milliseconds
from lamina.bench.scoring import Scores, by_category, judge, summary
from lamina.bench.sets import Question
from lamina.bench.silence import Answered, Evidence, Stray, mean_curve
from lamina.bench.telling import Ranked

USUAL: Final = "usual"
"""Asked as a user would, with the floor that the store has."""
NO_FLOOR: Final = "no_floor"
PLAIN: Final = "plain"
"""Asked without saying how many: at most ten, and none that are hardly likely."""
CROSS: Final = (Origin.SAME_SET, Origin.OTHER_SETS)
"""Questions that were asked of another store than they are about."""
_ABLATED: Final = ("mrr", "recall@5", "recall@10")
_APART: Final = frozenset(("documents", "queries", "abstain_queries", "categories", "questions"))
"""What no average is taken of over sets."""


@dataclass(slots=True)
class SetAnswers:
    """What was asked of the stores of one set, in several ways, and how good the answers were."""

    name: str
    judged: dict[str, list[tuple[Question, Scores]]] = field(default_factory=dict)
    """By the way in which it was asked."""
    ranked: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """The same as documents, as lines for another program that scores."""
    waits: list[float] = field(default_factory=list)
    answered: list[Answered] = field(default_factory=list)
    strays: dict[Origin, list[Stray]] = field(default_factory=dict)
    documents: int = 0
    written_seconds: float = 0.0
    embedded_seconds: float = 0.0

    def take(self, way: str, store: str, question: Question, answer: Ranked) -> None:
        """Judge an answer."""
        self.judged.setdefault(way, []).append((question, judge(question, answer.documents)))
        line = {"store": store, "query": question.id, "ranked": list(answer.documents)}
        self.ranked.setdefault(way, []).append(line)

    def repeat(self, way: str, number: int) -> None:
        """Another way of asking the last so many questions makes no difference."""
        self.judged.setdefault(way, []).extend(self.judged[NO_FLOOR][-number:])

    def take_both(self, store: str, question: Question, usual: Ranked, free: Ranked) -> None:
        """Judge the answer that a user gets, and the one without a floor."""
        self.take(USUAL, store, question, usual)
        self.take(NO_FLOOR, store, question, free)
        self.waits.append(usual.seconds)
        if question.gold:
            is_gold = tuple(document in question.gold for document in free.documents)
            self.answered.append(Answered(free.scores, is_gold, len(question.gold)))
        else:
            self.take_stray(Origin.NO_GOLD, usual, free)

    def take_stray(self, origin: Origin, usual: Ranked, free: Ranked) -> None:
        """Keep what came back for a question that has no answer."""
        stray = Stray(not usual.documents, next(iter(free.scores), -1.0))
        self.strays.setdefault(origin, []).append(stray)

    def to_json(self) -> dict[str, Any]:
        """The measures of the set, those without a floor under names that say so."""
        usual, free = self.judged[USUAL], summary(self.judged[NO_FLOOR])
        return {
            "documents": self.documents,
            **summary(usual),
            **{f"{name}_{NO_FLOOR}": free[name] for name in _ABLATED if name in free},
            **self._plain(),
            "ms_p50": milliseconds(at(self.waits, 50)),
            "ms_p95": milliseconds(at(self.waits, 95)),
            "writes_per_second": _rate(self.documents, self.written_seconds),
            "vectors_per_second": _rate(self.documents, self.embedded_seconds),
            "categories": by_category(usual),
        }

    def _plain(self) -> dict[str, float]:
        """What comes of a question that does not say how many it wants."""
        whole = summary(self.judged[PLAIN])
        hits = fmean(len(line["ranked"]) for line in self.ranked[PLAIN])
        return {f"hits_{PLAIN}": round(hits, 2)} | {
            f"{name}_{PLAIN}": whole[name] for name in ("recall@10",) if name in whole
        }

    def evidence(self, *origins: Origin) -> Evidence:
        """What there is to judge a floor by: strays of these origins against the set's own."""
        every = [one for origin in origins for one in self.strays.get(origin, ())]
        return Evidence(self.answered, every)

    def abstention(self) -> dict[str, dict[str, float]]:
        """What the floor in force does, by where the questions came from."""
        recall = float(summary(self.judged[USUAL]).get("recall@10", 0.0))
        named = {"cross_store": CROSS, **{origin.value: (origin,) for origin in Origin}}
        found = {name: self.evidence(*origins).usual(recall) for name, origins in named.items()}
        return {name: figures for name, figures in found.items() if figures is not None}

    def without(self, way: str) -> dict[str, float]:
        """The measures of another way of asking, and by how much they are better or worse."""
        usual, other = summary(self.judged[NO_FLOOR]), summary(self.judged[way])
        figures = {name: other[name] for name in _ABLATED if name in other}
        return figures | {f"{name}_change": round(other[name] - usual[name], 4) for name in figures}


@dataclass(frozen=True, slots=True)
class RetrievalFigures:
    """What one run measured, and with what."""

    config: dict[str, Any]
    sets: Sequence[SetAnswers]
    ablations: Sequence[str]

    def to_json(self) -> dict[str, Any]:
        """The figures by set, and their means over the sets."""
        sets = {one.name: one.to_json() for one in self.sets}
        return {
            "bench": "retrieval",
            "config": self.config,
            "sets": sets,
            "mean": means(list(sets.values())),
            "abstention": self._abstention(),
            "ablations": {way: self._ablation(way) for way in self.ablations},
        }

    def _abstention(self) -> dict[str, Any]:
        sets = {one.name: one.abstention() for one in self.sets}
        names = dict.fromkeys(name for found in sets.values() for name in found)
        return {
            "mean": {
                name: means([found[name] for found in sets.values() if name in found])
                for name in names
            },
            "sets": sets,
            "curve": mean_curve([one.evidence(*CROSS) for one in self.sets]),
        }

    def _ablation(self, way: str) -> dict[str, Any]:
        sets = {one.name: one.without(way) for one in self.sets}
        return {"mean": means(list(sets.values())), "sets": sets}


def means(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Each measure over the sets that have it, all sets alike."""
    names = dict.fromkeys(name for row in rows for name in row if name not in _APART)
    return {name: round(fmean(row[name] for row in rows if name in row), 4) for name in names}


def _rate(number: int, seconds: float) -> float:
    return round(number / seconds, 1) if seconds else 0.0
