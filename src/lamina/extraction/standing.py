"""Which files still say what was taken out of memory: erasing an item does not touch its file."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from lamina.core.record import Record
from lamina.core.scope import Scope
from lamina.extraction.entries import item_key, wanted
from lamina.extraction.mining import mine
from lamina.extraction.shelf import LAYER
from lamina.extraction.steps import Lines
from lamina.sources.books import Books
from lamina.sources.reading import UnreadableError, largest_file, read_document
from lamina.stores.base import Store
from lamina.writing import WritePath


def still_saying(store: Store, path: WritePath, records: Iterable[Record]) -> tuple[str, ...]:
    """The files that these items could be read out of again, or that nobody may look into."""
    largest = largest_file(store)
    return tuple(sorted({*_holding(store, path, records, largest)}))


def _holding(
    store: Store, path: WritePath, records: Iterable[Record], largest: int
) -> Iterator[str]:
    for record in records:
        books = Books(store, path, Scope.of(record.scope))
        root = books.roots.get(str(record.data.get("root"))) if record.layer == LAYER else None
        if root is not None:
            folder, file = Path(root.data["folder"]), str(record.data["file"])
            if _holds(books, folder, record, largest):
                yield str(folder / file)


def _holds(books: Books, folder: Path, record: Record, largest: int) -> bool:
    label, file = str(record.data["root"]), str(record.data["file"])
    try:
        document = read_document(folder, file, most=largest, now_ns=0)
    except UnreadableError as error:
        return error.known_stands
    if "cited" in record.data:
        return record.data["cited"] in Lines(document.text, books.fingerprint).marks
    found = wanted(mine(document.text, document.language), books.fingerprint)
    return record.key in {item_key(label, file, one.name) for one in found}
