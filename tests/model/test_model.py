"""Random histories on every store, compared with a plain model after each step."""

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from tests.model.long import run_history
from tests.model.places import PLACES
from tests.model.rules import RULES, History

QUICK = settings(
    max_examples=12,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
SLOW = ("postgres",)
"""Each step asks a server: a few here, and many in `tests/postgres/long_histories.py`."""


class _Machine(RuleBasedStateMachine):
    """A driver that draws its choices, so that hypothesis can shrink a history that fails."""

    place = "ephemeral"

    def __init__(self) -> None:
        super().__init__()
        self._held = ExitStack()
        folder = Path(self._held.enter_context(tempfile.TemporaryDirectory()))
        self._history = History(self._held.enter_context(PLACES[self.place](folder)))

    @rule(name=st.sampled_from(sorted(RULES)), data=st.data())
    def happen(self, name: str, data: Any) -> None:
        self._history.run(name, lambda options: data.draw(st.sampled_from(options)))

    def teardown(self) -> None:
        with self._held:
            self._history.close()


@pytest.mark.parametrize("place", PLACES)
def test_a_drawn_history_agrees_with_the_model(place: str) -> None:
    machine = type(f"Machine_{place}", (_Machine,), {"place": place})
    few = settings(QUICK, max_examples=3) if place in SLOW else QUICK
    run_state_machine_as_test(machine, settings=few)


@pytest.mark.parametrize("place", PLACES)
def test_a_seeded_history_agrees_with_the_model(place: str, tmp_path: Path) -> None:
    steps = 60 if place in SLOW else 250
    assert run_history(place, tmp_path, seed=2026, steps=steps) == steps
