"""The measures are those that everyone uses, worked out by hand here."""

import pytest

from lamina.bench.scoring import by_category, judge, summary
from lamina.bench.sets import Question
from lamina.bench.silence import FLOORS, Answered, Evidence, Stray, mean_curve
from lamina.core.ranking.calibrate import DEFAULT_FLOOR

ONE = Question("q1", "?", frozenset({"a"}), "alone")
TWO = Question("q2", "?", frozenset({"a", "b"}), "pair", frozenset({"b"}))
NONE = Question("q3", "?", frozenset(), "none")


def test_the_first_right_document_decides_the_reciprocal_rank() -> None:
    assert judge(ONE, ["x", "y", "a"])["mrr"] == pytest.approx(1 / 3)
    assert judge(ONE, ["x"])["mrr"] == 0
    # A document that comes twice takes one place; what lies beyond the twentieth does not count.
    assert judge(ONE, ["x", "x", "a"])["mrr"] == pytest.approx(1 / 2)
    assert judge(ONE, [*map(str, range(20)), "a"])["mrr"] == 0
    assert judge(ONE, [*map(str, range(19)), "a"])["recall@20"] == 1


def test_any_recall_and_all_count_to_a_place() -> None:
    scores = judge(TWO, ["x", "a", "y", "z", "w", "b"])
    assert [scores[f"any@{k}"] for k in (1, 5, 10, 20)] == [0, 1, 1, 1]
    assert [scores[f"recall@{k}"] for k in (1, 5, 10, 20)] == [0, 0.5, 1, 1]
    assert [scores[f"all@{k}"] for k in (1, 5, 10, 20)] == [0, 0, 1, 1]


def test_the_present_value_should_come_before_the_old_one() -> None:
    assert judge(TWO, ["x", "b", "a"])["latest_first"] == 1
    assert judge(TWO, ["a", "b"])["latest_first"] == 0
    assert judge(TWO, [])["latest_first"] == 0
    assert "latest_first" not in judge(ONE, ["a"])


def test_silence_is_wrong_with_an_answer_and_right_without() -> None:
    assert judge(ONE, [])["silent"] == 1
    assert judge(ONE, ["x"])["silent"] == 0
    assert judge(NONE, ["x"]) == {"false_positive_rate": 1}
    assert judge(NONE, []) == {"false_positive_rate": 0}


def test_each_measure_is_averaged_over_the_questions_it_applies_to() -> None:
    judged = [(one, judge(one, ["a"])) for one in (ONE, TWO, NONE)]
    found = summary(judged)
    assert (found["queries"], found["abstain_queries"]) == (2, 1)
    assert found["recall@10"] == 0.75
    assert found["latest_first"] == 0
    assert found["false_positive_rate"] == 1
    assert {name: one["queries"] for name, one in by_category(judged).items()} == {
        "alone": 1, "none": 0, "pair": 1,
    }  # fmt: skip


def test_a_floor_is_judged_by_what_it_silences_and_what_it_costs() -> None:
    answered = [Answered((0.9, 0.4, 0.2), (False, True, True), 2), Answered((0.7,), (True,), 1)]
    evidence = Evidence(answered, [Stray(True, 0.3), Stray(False, 0.8), Stray(True, -1.0)])
    for floor, silent, recall in ((0, 1 / 3, 1), (0.3, 1 / 3, 1), (0.8, 2 / 3, 0.5), (1, 1, 0)):
        point = evidence.at(floor)
        assert point is not None
        assert point.silent == pytest.approx(silent)
        assert point.recall == recall
        assert point.lost == 1 - recall
    # What was silent at the floor in force is counted, not worked out.
    assert evidence.usual(recall=0.75) == {"silent": 0.6667, "lost": 0.25, "questions": 3}


def test_only_the_first_ten_count_whatever_the_floor() -> None:
    scores = tuple(0.5 - at / 100 for at in range(12))
    for place, recall in ((9, 1), (10, 0)):
        found = Answered(scores, tuple(at == place for at in range(12)), 1)
        assert found.recall(0.0) == found.recall(0.5) == recall
        assert found.recall(0.51) == 0
    assert Answered((), (), 1).recall(0.0) == 0


def test_the_curve_shows_most_where_the_default_floor_lies() -> None:
    near = [floor for floor in FLOORS if abs(floor - DEFAULT_FLOOR) <= 0.02]
    assert len(near) >= 5
    assert (FLOORS[0], FLOORS[-1]) == (0, 1)
    assert list(FLOORS) == sorted(set(FLOORS))


def test_the_mean_curve_takes_all_sets_alike() -> None:
    large = Evidence([Answered((0.9,), (True,), 1)] * 9, [Stray(True, 0.1)] * 9)
    small = Evidence([Answered((0.2,), (True,), 1)], [Stray(False, 0.6)])
    nothing = Evidence([], [])
    half = {one["floor"]: one for one in mean_curve([large, small, nothing])}[0.5]
    assert half == {"floor": 0.5, "silent": 0.5, "recall@10": 0.5, "lost": 0.5}
    assert mean_curve([nothing]) == []
