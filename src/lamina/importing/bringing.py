"""Bringing memories of other tools along: read item by item, written in batches, safe to repeat.

An item becomes a record whose id follows from where it came from. So an import that was cut off
goes on when it is called again, a newer export adds what is new, and what was erased or forgotten
here stays so. The times are those of the source.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple, TypedDict, Unpack

from lamina.core.access import check_write
from lamina.core.ids import RecordId
from lamina.core.principal import Role, Surface
from lamina.core.scope import Scope
from lamina.errors import ForbiddenError, InvalidInputError
from lamina.importing.brought import Brought, Tally
from lamina.importing.formats import chatgpt, claude, mem0, server_memory, tables, telling
from lamina.importing.formats.items import Found, Item, Left, Place
from lamina.importing.formats.json_values import text_stream, values
from lamina.importing.formats.opened import Opened, TornFileError, opened
from lamina.importing.keeping import Keeper
from lamina.memory import Memory

_BATCH: Final = 200
_BATCH_SIZE: Final = 1 << 20


class _Reader(NamedTuple):
    """A format whose items are JSON values."""

    is_wanted: Callable[[dict[str, Any]], bool]
    items: Callable[[Iterable[Found | Left]], Iterator[Item | Left]]


_READERS: Final = {
    one.NAME: _Reader(one.is_wanted, one.items) for one in (chatgpt, claude, server_memory, mem0)
}


class BringOptions(TypedDict, total=False):
    """How memories of other tools are to be imported."""

    format: str | None
    """One of `FORMATS`; told from the content unless given."""
    mapping: dict[str, str]
    """For rows: which column is the text, the id, the date and so on."""
    scope: str | None
    """Where the records belong, unless that is the scope of the handle."""
    dry_run: bool
    """Only tell what would be done."""
    again: bool
    """Bring back also what was forgotten here by hand."""
    on_progress: Callable[[float], None] | None
    """Told the share of the file that is read."""
    on_commit: Callable[[RecordId], None] | None
    """Told each transaction, right behind it: what `undo` takes."""


def bring(mem: Memory, path: str | Path, **options: Unpack[BringOptions]) -> Brought:
    """Take in what another tool exported: memories as knowledge, conversations as sessions.

    Call it again to go on where it was cut off, or to follow a newer export: nothing comes in
    twice, and what was changed, forgotten or erased here stays so.

    Raises:
        InvalidInputError: There is no such file, or none of a format that is known.
        ForbiddenError: The handle is not an admin's: items name their own times and sources.
    """
    try:
        with opened(str(path)) as streams:
            return bring_opened(mem, streams, **options)
    except OSError as error:
        if error.strerror is None or error.filename is None:
            raise
        raise InvalidInputError(
            f"{str(path):.200} cannot be read: {error.strerror}",
            remedy="Check the path, its owner and its mode",
        ) from error


def bring_opened(
    mem: Memory, streams: Sequence[Opened], **options: Unpack[BringOptions]
) -> Brought:
    """Take in what was opened, as `bring` does."""
    if mem.principal.role is not Role.ADMIN:
        raise ForbiddenError("only an admin imports", remedy="Open the store with role admin")
    scope = Scope.of(options.get("scope") or mem.scope)
    check_write(replace(mem.principal, surface=Surface.IMPORT), scope, "knowledge")
    mapping = options.get("mapping") or {}
    name = options.get("format") or told_format(streams, mapping)
    dry = options.get("dry_run", False)
    keeper = Keeper(mem, scope, name, dry_run=dry, again=options.get("again", False))
    tally = Tally()
    tell = options.get("on_progress") or (lambda share: None)
    total = sum(one.size for one in streams)
    before = 0
    committed = options.get("on_commit") or (lambda tx: None)
    for one in streams:
        for batch in _batches(_guarded(read_items(name, one, mapping))):
            known = len(keeper.done)
            keeper.take(batch, tally)
            for tx in keeper.done[known:]:
                committed(tx)
            tell(min(1.0, (before + one.raw.done) / total) if total else 0.0)
        before += one.size
    return tally.report(applied=not dry, form=name, scope=scope.path, transactions=keeper.done)


def told_format(streams: Sequence[Opened], mapping: Mapping[str, str]) -> str:
    """The format of what was opened, by its content.

    Raises:
        InvalidInputError: It is none that can be imported.
    """
    told = {telling.format_of(one.head, one.name, mapping) for one in streams}
    if len(told) > 1:
        # A part of an archive that is empty tells nothing.
        told.discard(telling.LAMINA)
    found = told.pop()
    if found is not None and not told:
        return found
    raise InvalidInputError(
        "the file holds neither Markdown nor anything else that can be imported, so far as one can"
        " tell",
        remedy=f"Say what it is with --format: {', '.join(telling.FORMATS)}",
    )


def read_items(name: str, source: Opened, mapping: Mapping[str, str]) -> Iterator[Item | Left]:
    """What a stream of a format holds, one by one; nothing is written."""
    text = text_stream(source.stream(), source.head)
    if tables.check_mapping(mapping) and name not in (telling.CSV, telling.JSONL):
        raise InvalidInputError(
            f"`map` is for rows; {name} says itself what is what", remedy="Leave it out"
        )
    if name == telling.CSV:
        return tables.row_items(tables.csv_rows(text, mapping), mapping)
    if name == telling.JSONL:
        is_row = partial(tables.is_wanted, given=mapping)
        return tables.row_items(values(text, is_row), mapping)
    reader = _READERS.get(name)
    if reader is None:
        raise InvalidInputError(
            f"`format` cannot be read from a single file: {name!r:.40}",
            remedy=f"Use one of: {', '.join((*_READERS, telling.JSONL, telling.CSV))}",
        )
    return reader.items(values(text, reader.is_wanted))


def _guarded(found: Iterator[Item | Left]) -> Iterator[Item | Left]:
    """The same; where the bytes end too early, that is told and what came before stands."""
    last = Place(1, 1)
    try:
        for one in found:
            last = one.place
            yield one
    except TornFileError as error:
        yield Left(last, str(error))


def _batches(found: Iterator[Item | Left]) -> Iterator[list[Item | Left]]:
    """Some items at a time, fewer where they are large."""
    while True:
        batch: list[Item | Left] = []
        size = 0
        for one in islice(found, _BATCH):
            batch.append(one)
            size += len(one.text) if isinstance(one, Item) else 0
            if size > _BATCH_SIZE:
                break
        if not batch:
            return
        yield batch
