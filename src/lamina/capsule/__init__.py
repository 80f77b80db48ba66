"""Capsules: the notebook of one agent on one task as one file.

finn.notebook("t-1").capsule("t-1.capsule")         make
capsule = lamina.capsule.open("t-1.capsule")        verify, read and search, without a store
lamina.capsule.take_in(mem, "t-1.capsule")          bring it into a store
"""

from lamina.capsule.file import STATES, About, Contents, read, write
from lamina.capsule.searching import Capsule, open  # noqa: A004 - `lamina.capsule.open` opens one
from lamina.capsule.taking import TakenIn, take_in

__all__ = ["STATES", "About", "Capsule", "Contents", "TakenIn", "open", "read", "take_in", "write"]
