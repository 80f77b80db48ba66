"""`lamina history`."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from lamina.surfaces.cli.marks import Line, Span, line
from lamina.surfaces.cli.options import Command, name_argument, which_options
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lamina.core.changes import Event, Version
    from lamina.core.record import Record

_MOST_WORDS = 2000
"""Beyond this a comparison takes longer than reading both texts."""


@click.command(cls=Command)
@name_argument
@which_options
@pass_session
def history(session: Session, /, name: str, **which: Any) -> None:
    """Show every version of a memory.

    Oldest first, with who changed it, when, and the transaction that `lamina undo` takes.
    """
    from lamina.core.ids import is_id
    from lamina.surfaces import wire_memory

    record_id = name if is_id(name) else session.find(name, **which).id
    versions = session.memory(which["scope"]).history(record_id)
    if session.out.as_json:
        session.out.document(wire_memory.history_out(versions))
        return
    is_erased = any(version.event.action.value == "erased" for version in versions)
    before: Record | None = None
    for version in versions:
        session.out.show(*_lines(version, before, "erased" if is_erased else "no longer kept"))
        before = version.record or before


def _lines(version: "Version", before: "Record | None", gone: str) -> Iterator[Line]:
    event, record = version.event, version.record
    yield line(
        Span(f"rev {event.rev}", "bold"),
        f"  {happened(event, record)}",
        Span(f"  {event.at:%Y-%m-%d %H:%M:%S} UTC  by {event.actor} ({event.surface})", "dim"),
        Span(f"  tx {event.tx}", "dim"),
    )
    if record is None:
        yield line(Span(f"   {gone}", "red"))
    elif event.action.value != "witnessed":
        yield (
            Span("   "),
            *(changed_words(before.text, record.text) if before else line(record.text)),
        )


def happened(event: "Event", record: "Record | None") -> str:
    """What a change did, in a word or two; the record is as it was then."""
    action = event.action.value
    state = record.state.value if record else ""
    if action == "moved":
        return f"moved to {state}" if state else action
    if action == "witnessed":
        return "secret read"
    return action if state in ("", "current", action) else f"{action} ({state})"


def changed_words(old: str, new: str) -> Line:
    """The new text with what was taken out and put in marked, word by word."""
    from difflib import SequenceMatcher

    # A word keeps the space behind it: blanks of their own would match everywhere, and slowly.
    left, right = re.findall(r"\S+\s*|\s+", old), re.findall(r"\S+\s*|\s+", new)
    if len(left) + len(right) > _MOST_WORDS:
        return line(new)
    spans: list[Span] = []
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind == "equal":
            spans.append(Span("".join(right[j1:j2])))
            continue
        if i2 > i1:
            spans.append(Span(f"[-{''.join(left[i1:i2])}-]", "red strike"))
        if j2 > j1:
            spans.append(Span(f"{{+{''.join(right[j1:j2])}+}}", "green"))
    return tuple(spans)
