"""Rows of any origin: JSON lines and CSV, by a mapping of what a memory has to their columns."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from lamina.core.names import check_key, check_kind
from lamina.errors import InvalidInputError
from lamina.importing.formats.items import (
    Found,
    Item,
    Left,
    Place,
    instant_of,
    name_of,
    plain,
    tags_of,
    text_of,
)

FIELDS: Final = ("text", "id", "key", "kind", "tags", "created", "updated", "source", "importance")
"""What a memory has that a column can say."""
_USUAL: Final[Mapping[str, tuple[str, ...]]] = {
    "text": (
        "text",
        "memory",
        "content",
        "body",
        "note",
        "fact",
        "message",
        "description",
        "value",
    ),
    "id": ("id", "uuid", "_id", "memory_id", "record_id"),
    "kind": ("kind", "category", "type"),
    "tags": ("tags", "labels", "categories"),
    "created": ("created_at", "created", "date", "timestamp", "time"),
    "updated": ("updated_at", "updated", "modified"),
    "importance": ("importance",),
}
_LARGEST_CELL: Final = 1 << 26
_HEAD: Final = 65_536

Mapped = Mapping[str, str]


def check_mapping(given: Mapping[str, str]) -> Mapped:
    """A mapping of fields to columns, or an error that lists the fields."""
    for field in given:
        if field not in FIELDS:
            raise InvalidInputError(
                f"`map` names {field!r:.40}, which no memory has",
                remedy=f"Write FIELD=COLUMN with one of: {', '.join(FIELDS)}",
            )
    return given


def guess(columns: Iterable[str], given: Mapped) -> Mapped:
    """The mapping in force: as given, and the columns with plain names for what was not."""
    there = {column.strip().casefold(): column for column in columns}
    found = dict(given)
    for field, usual in _USUAL.items():
        if field not in found and (name := next((one for one in usual if one in there), None)):
            found[field] = there[name]
    return found


def is_wanted(row: dict[str, Any], given: Mapped) -> bool:
    """Whether an object has a text that can be kept."""
    column = guess(row, given).get("text")
    return column is not None and column in row


def row_items(found: Iterable[Found | Left], given: Mapped) -> Iterator[Item | Left]:
    """JSON objects as items; each may have columns of its own."""
    for one in found:
        if isinstance(one, Left):
            yield one
        elif not isinstance(one.value, dict):
            yield Left(one.place, "not an object")
        else:
            yield _item(one.place, one.value, guess(one.value, given))


def csv_rows(text: io.TextIOBase, given: Mapped) -> Iterator[Found | Left]:
    """The rows of a table with a heading, whatever separates its columns.

    Raises:
        InvalidInputError: It has no column of that name, or none that is plainly the text.
    """
    csv.field_size_limit(_LARGEST_CELL)
    head = text.read(_HEAD)
    reader = csv.reader(_lines(head, text), _dialect(head))
    heading = next(reader, [])
    columns = [text_of(name.removeprefix("\ufeff")) for name in heading]
    _check_columns(columns, given)
    item = 0
    while True:
        item += 1
        place = Place(reader.line_num + 1, item)
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Left(place, f"not a row: {error}")
            continue
        if len(row) > len(columns):
            yield Left(place, f"{len(row)} cells under {len(columns)} headings")
        elif any(cell.strip() for cell in row):
            yield Found(
                place, {name: cell for name, cell in zip(columns, row, strict=False) if name}
            )


def _check_columns(columns: list[str], given: Mapped) -> None:
    mapped = guess(columns, given)
    missing = [column for column in given.values() if column not in columns]
    if missing or "text" not in mapped:
        what = f"no column {missing[0]!r:.60}" if missing else "no column that is plainly the text"
        raise InvalidInputError(
            f"the table has {what}; it has: {', '.join(columns)!s:.300}",
            remedy="Say which column is what, as in `--map text=COLUMN`, over HTTP `map`",
        )


def _lines(head: str, text: io.TextIOBase) -> Iterator[str]:
    rest = io.StringIO(head + text.readline(), newline="")
    yield from (line.replace("\0", "") for line in rest)
    yield from (line.replace("\0", "") for line in text)


def _dialect(head: str) -> type[csv.Dialect]:
    first = head.partition("\n")[0]
    separator = max(",;\t|", key=first.count)

    class Found(csv.excel):
        delimiter = separator

    return Found


def _item(place: Place, row: Mapping[str, Any], mapped: Mapped) -> Item | Left:
    said = {field: row[column] for field, column in mapped.items() if column in row}
    text = text_of(said.get("text")) or _spelled(said.get("text"))
    if not text:
        return Left(place, "it says nothing: no text, or no column of that name")
    named = said.get("id")
    name = text_of(named) if isinstance(named, str) else "" if named is None else str(named)
    created = instant_of(said.get("created"))
    try:
        return Item(
            place=place, identity=("id", name) if name else ("row", text), text=text,
            kind=_kind(said.get("kind")), key=_key(said.get("key")), tags=tags_of(said.get("tags")),
            importance=_share(said.get("importance")), source=name_of(said.get("source")),
            data=_rest(row, set(mapped.values())) | ({"id": name} if name else {}),
            created=created, updated=instant_of(said.get("updated")) or created,
        )  # fmt: skip
    except InvalidInputError as error:
        return Left(place, error.message)


def _rest(row: Mapping[str, Any], used: set[str]) -> dict[str, Any]:
    """The columns that are nothing else of a memory, kept with it."""
    said = {text_of(name): plain(one) for name, one in row.items() if name not in used}
    return {name: one for name, one in said.items() if name and one not in ("", None)}


def _spelled(value: object) -> str:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _kind(value: object) -> str:
    try:
        return check_kind(text_of(value))
    except InvalidInputError:
        return "fact"


def _key(value: object) -> str | None:
    return check_key(text_of(value)) if text_of(value) else None


def _share(value: object) -> float | None:
    try:
        number = float(value)  # type: ignore[arg-type]  # whatever is no number raises
    except (ValueError, TypeError):
        return None
    return number if 0 <= number <= 1 else None
