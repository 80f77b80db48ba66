"""What an import writes down in a record, beside what the file says: how to know it again. Pure."""

from dataclasses import asdict, dataclass
from typing import Any, Final

from lamina.core.record import Record

NAME: Final = "import"
"""Where the mark stands in the data of a record, next to `file` and `line`."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a record came from, as digests that mean nothing outside the store."""

    root: str
    """The folder that its file is named from."""
    digest: str
    """What the entry said."""
    place: str
    """Everything else that the file told: headings, tags, dates."""
    rev: int
    """The revision that the import made: what differs from it was changed since."""

    def to_data(self, file: str, line: int) -> dict[str, Any]:
        """The mark as part of the data of a record."""
        return {"file": file, "line": line, NAME: asdict(self)}


def mark_of(record: Record) -> Mark | None:
    """The mark of a record; one that lost some of it came from no file."""
    found = record.data.get(NAME)
    has_place = isinstance(record.data.get("file"), str) and type(record.data.get("line")) is int
    if not has_place or not isinstance(found, dict):
        return None
    root, digest, place, rev = (found.get(name) for name in ("root", "digest", "place", "rev"))
    texts = isinstance(root, str) and isinstance(digest, str) and isinstance(place, str)
    if not texts or type(rev) is not int:
        return None
    return Mark(str(root), str(digest), str(place), rev)


def marked(record: Record) -> Mark:
    """The mark of a record that is known to have one."""
    mark = mark_of(record)
    if mark is None:
        raise LookupError(f"record {record.id} came from no file")
    return mark
