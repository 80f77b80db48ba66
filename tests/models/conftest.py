"""What these tests share."""

from tests.places import plain as mem

__all__ = ["mem"]
