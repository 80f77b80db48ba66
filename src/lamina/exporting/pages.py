"""Memories as pages of Markdown, one for each layer of each scope.

An entry carries the id of its record as a block id, and stands under the day it is from. A page of
knowledge or facts can be imported as notes: where the record is, it is known by that id and comes
in no second time. Pages of messages, tasks and the like, and what tools or the web said, are for
reading: the mark in their front matter keeps an import from taking them for notes of a person.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from lamina.core.instants import to_text
from lamina.core.layers import LAYERS
from lamina.core.record import Record
from lamina.exporting.choosing import Chosen, Group, groups, members
from lamina.memory import Memory

_NOTES: Final = frozenset(("knowledge", "fact"))
_HEARSAY: Final = "-heard"


def markdown_pages(
    mem: Memory, chosen: Chosen | None = None
) -> Iterator[tuple[str, Iterator[str]]]:
    """Every page with the path that it would have in a folder, and its pieces."""
    wanted = chosen or Chosen()
    for group in groups(mem, wanted):
        yield _path(group), _page(group, members(mem, wanted, group))


def _path(group: Group) -> str:
    return f"{group.scope}/{group.layer}{_HEARSAY if group.is_hearsay else ''}.md"


def _page(group: Group, records: list[Record]) -> Iterator[str]:
    title = f"{group.scope}: {group.layer}{', heard of others' if group.is_hearsay else ''}"
    mark = [] if group.layer in _NOTES and not group.is_hearsay else ["lamina: exported"]
    yield "\n".join(["---", f'title: "{title}"', *mark, "---", f"# {title}", ""]) + "\n"
    if LAYERS[group.layer].in_order:
        yield from _transcript(records)
        return
    by_kind = sorted(records, key=lambda one: one.kind)
    for kind, some in groupby(by_kind, key=lambda one: one.kind):
        yield f"## {kind}\n\n"
        for day, those in groupby(some, key=lambda one: f"{one.created_at:%Y-%m-%d}"):
            yield f"### {day}\n\n"
            yield from map(_entry, those)
            yield "\n"


def _transcript(records: list[Record]) -> Iterator[str]:
    for record in records:
        who = record.kind if record.source in ("user", "assistant") else record.source
        yield f"- {who}, {to_text(record.created_at)[:19]}Z: {_indented(record)} ^{record.id}\n"


def _entry(record: Record) -> str:
    key = f"**{record.key}**: " if record.key else ""
    return f"- {key}{_indented(record)} ^{record.id}\n"


def _indented(record: Record) -> str:
    """The text as the inside of an item; what has none shows that it is data."""
    text = record.text.strip() or "(data only)"
    return "\n  ".join(line.rstrip() for line in text.splitlines()).replace("\n  \n", "\n\n")
