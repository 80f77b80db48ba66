"""Random histories on Postgres, against a model after each step: `make test-postgres`."""

from pathlib import Path

import pytest

from tests.model.long import STEPS_PER_HISTORY, run_history


@pytest.mark.parametrize("seed", range(1, 11))
def test_a_seeded_history_agrees_with_the_model(seed: int, tmp_path: Path) -> None:
    steps = run_history("postgres", tmp_path, seed=seed, steps=STEPS_PER_HISTORY)
    assert steps == STEPS_PER_HISTORY
