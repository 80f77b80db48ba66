"""`lamina recall`."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from lamina.surfaces.cli.marks import Line, Span, line
from lamina.surfaces.cli.options import Command, as_of_option, layer_option, scope_options
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from datetime import datetime

    from lamina.results import Hit, Recall


@click.command(cls=Command)
@click.argument("words", nargs=-1, required=True, metavar="QUERY...")
@click.option("-k", type=int, default=10, show_default=True, metavar="N", help="At most so many.")
@layer_option("layers", multiple=True, help="Search this layer.")
@click.option("--where", metavar="JSON", help="Only what matches this filter.")
@click.option("--explain", is_flag=True, help="Say which words matched.")
@as_of_option
@scope_options
@pass_session
def recall(session: Session, /, words: tuple[str, ...], **options: Any) -> None:
    """Search memories, best first.

    Every layer is searched but session, working and archive, which are searched when named. When
    nothing relevant is there, nothing is shown.
    """
    from lamina.core.canonical import check_text, loads
    from lamina.surfaces import wire

    out, scope = session.out, options["scope"]
    where = None if options["where"] is None else loads(options["where"], "--where")
    found = session.memory(scope).recall(
        check_text(" ".join(words), "query"),
        k=options["k"],
        layers=list(options["layers"]) or None,
        where=where,
        scope=scope,
        as_of=options["as_of"],
    )
    if out.as_json:
        out.document(wire.recall_out(found))
    elif out.quiet:
        for hit in found.hits:
            out.raw(hit.record.id)
    else:
        _show(session, found, explain=options["explain"])


def _show(session: Session, found: "Recall", *, explain: bool) -> None:
    from lamina import clock
    from lamina.surfaces.cli.views import DIM, about_lines

    now, width = clock.now(), session.out.width
    for number, hit in enumerate(found.hits, start=1):
        record = hit.record
        session.out.show((Span(f"{number}. ", DIM), *highlighted(record.text, hit.terms)))
        about = [*_about(hit, now), record.id]
        session.out.show(*about_lines(about, width))
        if explain:
            session.out.show(line(Span("   matched: " + ", ".join(hit.terms), DIM)))
    if found.abstained:
        session.out.show(line("Nothing relevant is remembered."))
    if found.suppressed:
        older = f"{found.suppressed} older version{'s' if found.suppressed > 1 else ''}"
        session.out.show(line(Span(f"{older} left out; `lamina history` has them.", DIM)))
    if explain:
        session.out.show(line(Span(f"Took {found.took_ms:g} ms.", DIM)))


def _about(hit: "Hit", now: "datetime") -> Iterator[str]:
    from lamina.surfaces.cli.views import age, speaker

    record = hit.record
    yield record.kind
    if record.key:
        yield record.key
    yield record.scope
    yield age(record.updated_at, now)
    yield from speaker(record)
    yield f"score {hit.score:.2f}"


def highlighted(text: str, terms: tuple[str, ...]) -> Line:
    """The text with the words that matched set off, as the analyser sees words."""
    from lamina.core.text.words import analyse

    wanted = frozenset(terms)
    spans: list[Span] = []
    for chunk in re.split(r"(\s+)", text):
        if chunk.strip() and wanted.intersection(analyse(chunk).tokens):
            spans += _within(chunk, wanted)
        elif chunk:
            spans.append(Span(chunk))
    return tuple(spans)


def _within(chunk: str, wanted: frozenset[str]) -> Iterator[Span]:
    """The parts of a chunk that were asked for, or the whole chunk where only its form matches."""
    found = [re.escape(term) for term in sorted(wanted, key=len, reverse=True)]
    pattern = re.compile(rf"((?:{'|'.join(found)})\w*)", re.IGNORECASE)
    pieces = pattern.split(chunk)
    if len(pieces) == 1:
        yield Span(chunk, "bold yellow")
        return
    for index, piece in enumerate(pieces):
        if piece:
            yield Span(piece, "bold yellow" if index % 2 else "")
