"""The benchmark of contexts counts whole evidence, next to plain ways with the same labels."""

from pathlib import Path

import pytest

from lamina.bench.context import BUDGETS, Plan, measure
from lamina.errors import InvalidInputError
from tests.bench.small_sets import unseen, write
from tests.surfaces.shell import caller


def test_evidence_is_counted_at_every_budget(tmp_path: Path) -> None:
    found = measure(
        Plan(write(tmp_path), ("garden",), None, 300, "static", each=1, folder=tmp_path), unseen
    )
    garden = found["sets"]["garden"]
    # Of four questions one has no evidence. Everything fits, so everyone who looks finds it.
    assert garden["questions"] == 3
    for budget in map(str, BUDGETS):
        assert garden["all"][budget]["recent"] == garden["all"][budget]["vector"] == 1.0
        assert garden["all"][budget]["lamina"] <= garden["any"][budget]["lamina"] == 1.0
    assert found["speed"]["records"] == 300
    assert 0 < found["speed"]["p50_ms"] <= found["speed"]["p99_ms"]


def test_plans_that_are_none_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InvalidInputError, match="limit_queries"):
        Plan(tmp_path, limit=0)
    with pytest.raises(InvalidInputError, match="records"):
        Plan(tmp_path, records=-1)
    told = caller(capsys, tmp_path)("bench", "context")
    assert (told.status, "nothing to measure" in told.err) == (2, True)
