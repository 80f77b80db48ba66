"""A memory without vectors, which these tests do not need."""

import pytest

import lamina
from lamina import Memory


@pytest.fixture
def mem() -> Memory:
    opened = lamina.open(":memory:")
    opened.configure("recall.embedder", "off")
    return opened
