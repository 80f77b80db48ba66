"""Empty stores for the tests of this folder."""

from collections.abc import Iterator

import pytest

from tests.postgres.lending import lent_address


@pytest.fixture
def address() -> Iterator[str]:
    """The address of an empty store."""
    with lent_address() as lent:
        yield lent


@pytest.fixture
def over_tcp() -> Iterator[str]:
    """The same, not through a socket in a folder."""
    with lent_address(tcp=True) as lent:
        yield lent
