"""Servers as processes of their own: `make test-postgres` runs `served_*.py`."""
