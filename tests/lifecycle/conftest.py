"""A store of each sort, one where the sort is not the point, and a clock that goes on by days."""

import pytest

from lamina import Memory
from tests.days import Day, day, whole
from tests.places import plain

__all__ = ["day", "one", "plain", "whole"]


@pytest.fixture
def one(day: Day, plain: Memory) -> Memory:
    return plain
