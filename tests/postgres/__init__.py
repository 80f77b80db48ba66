"""Tests of the Postgres store, on a real server that a wheel brings along.

`lent_address` (in `tests.postgres.lending`) and `fresh_address` are all that most of them need.
"""

from tests.postgres.shared import fresh_address, server

__all__ = ["fresh_address", "server"]
