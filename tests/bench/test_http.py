"""`lamina bench http` in small: every figure is there, and every event arrived."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from lamina.bench.http import Plan, measure
from lamina.errors import InvalidInputError
from lamina.surfaces.cli.bench_http import report
from tests.bench.test_write import disk

__all__ = ["disk"]


def test_calls_and_streams_are_measured(disk: Path) -> None:
    plan = Plan(disk, seconds=0.05, records=10, connections=(1, 2), subscribers=20)
    found = measure(plan, lambda what, total: nullcontext(lambda done: None))
    assert set(found["requests"]) == {"1", "2"}
    for row in found["requests"].values():
        assert all(one["requests"] > 0 and one["p99_ms"] >= one["p50_ms"] for one in row.values())
        assert set(row["recall"]["ratio_to_empty"]) == {"per_second", "p50_ms", "p99_ms", "cpu_ms"}
    for name in ("written_over_http", "written_by_another_process"):
        told = found["streams"][name]
        assert (told["missed"], told["repeated"]) == (0, 0)
        assert told["frames"] == 10 * told["events"] > 0
    assert len(list(report(found))) == 4
    assert list(disk.iterdir()) == []


def test_streams_that_cannot_be_shared_out_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="`subscribers`"):
        Plan(Path(), subscribers=15)
