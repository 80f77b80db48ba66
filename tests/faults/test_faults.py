"""A short run of every fault; `make faults` runs them at full size."""

from pathlib import Path

import pytest

from tests.faults.table import FAULTS, Fault

SEED = 1


@pytest.mark.timeout(180)
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_nothing_breaks(fault: Fault, tmp_path: Path) -> None:
    report = fault.run(fault.quick, SEED, tmp_path, lambda done, total: None)
    assert report.trials > 0
    assert report.violations == []
