"""What became of the place where the rows of a large stream lie."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Arranged:
    """One stream whose rows were moved, or after a dry run would be."""

    stream: str
    records: int
    apart: bool
    """Whether it has partitions of its own now; otherwise it gave them back."""
