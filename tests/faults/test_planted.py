"""The planted bugs are still bugs: each fits the source as it is, and a fault is there for it."""

import pytest

from tests.faults.planted import PLANTED, Planted
from tests.faults.table import FAULTS
from tests.meta.tree import SOURCE

AT_LEAST = 12


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.name)
def test_a_planted_bug_changes_what_is_there_once(planted: Planted) -> None:
    for file, old, new in planted.edits:
        text = (SOURCE / file).read_text(encoding="utf-8")
        assert text.count(old) == 1, old
        assert old != new


def test_every_planted_bug_has_its_fault() -> None:
    assert {planted.fault for planted in PLANTED} <= set(FAULTS)
    assert len({planted.name for planted in PLANTED}) == len(PLANTED) >= AT_LEAST
