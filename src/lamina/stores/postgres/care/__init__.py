"""Looking a store in Postgres over, and building anew what follows from its records."""

from lamina.stores.postgres.care.checking import audit, check
from lamina.stores.postgres.care.repairing import repair
from lamina.stores.postgres.care.words import reindex

__all__ = ["audit", "check", "reindex", "repair"]
