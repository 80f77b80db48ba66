"""The table of damage is what it says it is."""

from collections import Counter

from tests.faults.damages.planting import Side
from tests.faults.damages.table import DAMAGES


def test_every_class_of_damage_has_a_name_of_its_own() -> None:
    assert [
        name for name, number in Counter(one.name for one in DAMAGES).items() if number > 1
    ] == []


def test_there_is_damage_to_every_side() -> None:
    sides = Counter(one.side for one in DAMAGES)
    assert set(sides) == set(Side)
    assert min(sides[Side.DERIVED], sides[Side.RECORD], sides[Side.EITHER]) >= 30
