"""Memories as pages of Markdown, one for each layer of each scope.

An entry carries the id of its record as a block id, and stands under the day it is from. A page of
knowledge or facts can be imported as notes: where the record is, it is known by that id and comes
in no second time. Pages of messages, tasks and the like, and what tools or the web said, are for
reading: the mark in their front matter keeps an import from taking them for notes of a person.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from lamina.core.instants import to_text
from lamina.core.layers import LAYERS
from lamina.core.markdown.structure import fences
from lamina.core.record import Record
from lamina.exporting.choosing import Chosen, Group, groups, members
from lamina.memory import Memory

_NOTES: Final = frozenset(("knowledge", "fact"))
_HEARSAY: Final = "-heard"
_USUAL, _DEEP = 2, 4
_OPENING: Final = re.compile(r"(\s*)(`{3,}|~{3,}|<!--|%%)")
_PARTING: Final = re.compile(r"\s*(?:#|`{3}|~{3}|<!--|%%|=+$|-+$)")
"""A line that would be more than a line of an item: a heading, or what begins or ends a block."""


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
        yield _item(f"{who}, {to_text(record.created_at)[:19]}Z: ", record)


def _entry(record: Record) -> str:
    return _item(f"**{record.key}**: " if record.key else "", record)


def _item(head: str, record: Record) -> str:
    """A record as one item of a list, whatever its text looks like."""
    text = record.text.strip() or "(data only)"
    first, *others = lines = [line.rstrip() for line in text.splitlines()]
    if _is_open(lines):
        # What never ends would take what follows along: it is shown as it is written instead.
        first, *others = [_OPENING.sub(r"\1\\\2", line) for line in lines]
    # So far to the right nothing is a heading, and nothing ends but what has begun there.
    deep = _DEEP if any(_PARTING.match(line) for line in (first, *others)) and others else _USUAL
    if others and _PARTING.match(first):
        first, others = "", [first, *others]
    rest = [f"{' ' * deep}{line}" if line else "" for line in others]
    # A mark at the end of a block would not end it.
    end = f"\n{' ' * deep}^" if others and _PARTING.match(others[-1]) else " ^"
    return "\n".join([f"{'-':{deep}}{f'{head}{first}'.rstrip()}", *rest]) + f"{end}{record.id}\n"


def _is_open(lines: list[str]) -> bool:
    """Whether a text begins a fence or a comment that it does not end."""
    for first, last in fences(lines, 1):
        mark = lines[first - 1].strip()[0]
        if first == last or lines[last - 1].strip().strip(mark):
            return True
    text = "\n".join(lines)
    return text.count("<!--") != text.count("-->") or text.count("%%") % 2 == 1
