"""What tests of stores with segments share: every stream is large, and each engine has its turn."""

import pytest

from lamina.core.settings import BUILTIN, LANCE
from lamina.stores.sqlite import nearest, segments, words
from tests.indexes.near import needs_lance


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every stream have segments, in this test."""
    for module in (words, nearest, segments):
        monkeypatch.setattr(module, "LARGE", 1)


@pytest.fixture(params=[BUILTIN, pytest.param(LANCE, marks=needs_lance)])
def engine(request: pytest.FixtureRequest) -> str:
    """What keeps vectors, each engine in turn."""
    return str(request.param)
