"""Looking a store over, and building anew what can be worked out from its records.

What the log vouches for is the record: the events, each of which seals those before it, and the
versions, each of which an event holds the digest of. Everything else follows from these and can be
built again: the words, the counts, the slots, the pointers from version to version, the indexes,
the views, and the ledger of what was erased. So a finding says which of the two is damaged, and a
repair only ever goes one way.
"""

from lamina.stores.sqlite.care.checking import audit, check, indexes
from lamina.stores.sqlite.care.repairing import repair
from lamina.stores.sqlite.care.words import reindex

__all__ = ["audit", "check", "indexes", "reindex", "repair"]
