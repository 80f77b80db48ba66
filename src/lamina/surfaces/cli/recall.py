"""`lamina recall` and `lamina why-not`."""

from typing import TYPE_CHECKING, Any

import click

from lamina.surfaces.cli.asking import asked, recall_options
from lamina.surfaces.cli.marks import Span, line
from lamina.surfaces.cli.options import Command, name_argument
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lamina.results import Recall, WhyNot

_query_argument = click.argument("words", nargs=-1, required=True, metavar="QUERY...")


@click.command(cls=Command)
@_query_argument
@recall_options
@click.option(
    "--explain", is_flag=True, help="Say what each score is made of, and what is missing."
)
@pass_session
def recall(session: Session, /, words: tuple[str, ...], *, explain: bool, **options: Any) -> None:
    """Search memories, best first.

    Each comes with how likely it is what was meant. Every layer is searched but session, working
    and archive, which are searched when named. When nothing relevant is there, nothing is shown.
    """
    from lamina.surfaces import wire

    out, how = session.out, asked(options)
    found = session.memory(how["scope"]).recall(query_of(words), **how)
    if out.as_json:
        out.document(wire.recall_out(found))
    elif out.quiet:
        for hit in found.hits:
            out.raw(hit.record.id)
    else:
        _show(session, found, how, explain=explain)


@click.command("why-not", cls=Command)
@name_argument
@_query_argument
@recall_options
@click.option("--explain", is_flag=True, hidden=True, expose_value=False)
@pass_session
def why_not(session: Session, /, name: str, words: tuple[str, ...], **options: Any) -> None:
    """Say what kept a memory out of a recall.

    Asked with the words and options of that recall. A memory that is in it is named with its place.
    """
    from lamina.surfaces import wire

    out, how = session.out, asked(options)
    found = session.memory(how["scope"]).why_not(name, query_of(words), **how)
    if out.as_json:
        out.document(wire.why_not_out(found))
    else:
        _tell(session, found)


def query_of(words: tuple[str, ...]) -> str:
    """The words as one question; bytes that are no text are refused where they come in."""
    from lamina.core.canonical import check_text

    query = " ".join(words)
    # A text is not kept with it, but a question may hold anything that is a character.
    check_text(query.replace("\0", ""), "query")
    return query


def _show(session: Session, found: "Recall", how: dict[str, Any], *, explain: bool) -> None:
    from lamina import clock
    from lamina.surfaces.cli import hits
    from lamina.surfaces.cli.nothing import tell_why
    from lamina.surfaces.cli.views import DIM

    out, now = session.out, clock.now()
    scale = hits.largest(hit.parts for hit in found.hits)
    for number, hit in enumerate(found.hits, start=1):
        out.show(*hits.hit_lines(number, hit, now, out.width))
        if explain:
            out.show(*hits.explained(hit, scale, blocks=out.draws_blocks))
    if found.abstained:
        out.show(line("Nothing relevant is remembered."))
        tell_why(session, how["scope"], how["as_of"])
    if found.unfit and not explain:
        many = hits.number_of(found.unfit, "relevant one")
        out.show(line(Span(f"{many} did not fit into the budget.", DIM)))
    if found.suppressed and not explain:
        older = hits.number_of(found.suppressed, "older version")
        out.show(line(Span(f"{older} left out; `lamina history` has them.", DIM)))
    if explain:
        out.show(*(line(Span(said, DIM)) for said in hits.left_out(found)))
    for missing in found.degraded:
        out.note(f"Note: {missing}")


def _tell(session: Session, found: "WhyNot") -> None:
    from lamina.surfaces.cli import hits
    from lamina.surfaces.cli.views import BAD, GOOD

    out = session.out
    if found.rank is None:
        out.show(line(Span("Not found", BAD), f": {found.record}"))
    else:
        out.show(line(Span(f"Found in place {found.rank}", GOOD), f": {found.record}"))
    out.show(*(line(hits.sentence(reason)) for reason in found.reasons))
    if found.score is None or out.quiet:
        return
    out.show(line(f"It is what was meant with a likelihood of {hits.percent(found.score)}."))
    scale = hits.largest([found.parts])
    out.show(*hits.part_lines(found.parts, scale, blocks=out.draws_blocks))
