"""Which files still say what was taken out of memory: erasing a chunk does not touch its file."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from lamina.core.record import Record
from lamina.core.scope import Scope
from lamina.sources.books import CHUNK, LAYER, Books
from lamina.sources.cutting import cut_text
from lamina.sources.reading import UnreadableError, largest_file, read_document
from lamina.stores.base import Store
from lamina.writing import WritePath


def still_saying(store: Store, path: WritePath, records: Iterable[Record]) -> tuple[str, ...]:
    """The files that hold the text of these chunks, or that nobody may look into, in order."""
    largest = largest_file(store)
    found: set[str] = set()
    for record in records:
        if (record.layer, record.kind) == (LAYER, CHUNK):
            books = Books(store, path, Scope.of(record.scope))
            found.update(_holding(books, record, largest))
    return tuple(sorted(found))


def _holding(books: Books, chunk: Record, largest: int) -> Iterator[str]:
    root = books.roots.get(chunk.data["root"])
    if root is None:
        return
    folder = Path(root.data["folder"])
    for place in (chunk.data, *chunk.data.get("also", ())):
        if _holds(books, folder, place["file"], chunk, largest):
            yield str(folder / place["file"])


def _holds(books: Books, folder: Path, file: str, chunk: Record, largest: int) -> bool:
    try:
        document = read_document(folder, file, most=largest, now_ns=0)
    except UnreadableError as error:
        return error.known_stands
    if chunk.text in document.text:
        return True
    # Where a secret was sealed, the file says it in other words.
    pieces = cut_text(document.text, document.language)
    return chunk.data["digest"] in {books.fingerprint(one.text.encode()) for one in pieces}
