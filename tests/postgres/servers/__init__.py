"""Servers as processes of their own, which take their time: `make test-postgres` runs `served_*.py`."""
