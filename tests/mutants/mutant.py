"""One planted bug."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """A change to one file that must turn one clause of the contract red."""

    clause: str
    """The clause, without its `test_`."""
    name: str
    kind: str
    """What sort of bug it is; the quick run plants one of each kind."""
    file: str
    """Below `src/lamina`."""
    old: str
    """Occurs exactly once in the file."""
    new: str
    store: str = "Ephemeral"
    """The store whose suite sees it: `Ephemeral`, `JsonFile` or `Sqlite`."""
