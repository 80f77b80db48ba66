"""How good a ranking is: the usual measures, each an average over the questions it applies to."""

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Final, TypeAlias

from lamina.bench.sets import Question

CUTOFFS: Final = (1, 5, 10, 20)
DEPTH: Final = CUTOFFS[-1]
"""What is ranked behind this place counts as not found."""
SILENT: Final = "silent"
LATEST: Final = "latest_first"
FALSE_POSITIVES: Final = "false_positive_rate"
Scores: TypeAlias = dict[str, float]


def judge(question: Question, ranked: Sequence[str]) -> Scores:
    """Every measure that applies to one question, answered with these documents, best first."""
    if not question.gold:
        return {FALSE_POSITIVES: float(bool(ranked))}
    top = list(dict.fromkeys(ranked))[:DEPTH]
    places = [place for place, document in enumerate(top, 1) if document in question.gold]
    scores = {"mrr": 1 / places[0] if places else 0.0, SILENT: float(not ranked)}
    for k in CUTOFFS:
        found = sum(place <= k for place in places)
        scores[f"any@{k}"] = float(found > 0)
        scores[f"recall@{k}"] = found / len(question.gold)
        scores[f"all@{k}"] = float(found == len(question.gold))
    if question.latest:
        scores[LATEST] = float(bool(places) and top[places[0] - 1] in question.latest)
    return scores


def average(rows: Iterable[Scores]) -> Scores:
    """Each measure over the rows that have it."""
    columns: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.items():
            columns.setdefault(name, []).append(value)
    return {name: round(fmean(values), 4) for name, values in columns.items()}


def summary(judged: Sequence[tuple[Question, Scores]]) -> dict[str, float | int]:
    """How many questions there were with an answer and without, and the averages over them."""
    answered = sum(bool(question.gold) for question, _ in judged)
    counts = {"queries": answered, "abstain_queries": len(judged) - answered}
    return {**counts, **average(scores for _, scores in judged)}


def by_category(
    judged: Sequence[tuple[Question, Scores]],
) -> dict[str, dict[str, float | int]]:
    """The summary of each category, by name."""
    names = sorted({question.category for question, _ in judged} - {""})
    return {name: summary([one for one in judged if one[0].category == name]) for name in names}
