"""The versions that a store remembers, in a module that costs nothing to import."""

from typing import Final

ANALYSER_VERSION: Final = 2
"""Raised whenever any token changes: indexes built before are then stale."""

INDEX_VERSION: Final = f"lamina-{ANALYSER_VERSION}"
"""Names the analyser; a store indexed by another one is indexed anew before it is written."""
