"""Empty stores for the tests of this folder."""

import os
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


collect_ignore = [] if os.environ.get("LAMINA_SERVERS") else ["servers"]
"""Servers as processes of their own take their time: `make test-postgres` has it."""
