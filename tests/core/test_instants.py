"""Times as callers write them."""

import math

import pytest

from lamina.core.instants import check_seconds
from lamina.errors import InvalidInputError


def test_seconds_are_a_number_that_can_be_waited_for() -> None:
    assert check_seconds(0, "wait") == 0.0
    assert check_seconds(2.5, "wait", above_zero=True) == 2.5
    for wrong in (-1, True, False, "2", None, math.nan, math.inf, 10**400):
        with pytest.raises(InvalidInputError, match="`wait` must be a number of seconds from 0 on"):
            check_seconds(wrong, "wait")
    with pytest.raises(InvalidInputError, match="above 0"):
        check_seconds(0, "wait", above_zero=True)
