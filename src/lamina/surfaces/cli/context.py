"""`lamina context`."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.marks import Line, Span, line
from lamina.surfaces.cli.options import Command, layer_option
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lamina.paging import Context

_WIDEST: Final = 40
"""How many characters a bar has that stands for the whole budget."""


@click.command(cls=Command)
@click.argument("words", nargs=-1, metavar="[QUESTION]...")
@click.option("--budget", type=int, metavar="TOKENS", help="How much it may take; else 4,000.")
@click.option("--task", metavar="TASK", help="The task at hand: its notes come first.",
              shell_complete=completing.keys_of("task"))  # fmt: skip
@click.option(
    "--split", metavar="T/P/G",
    help="How much comes from task, project and global, as 50/30/20; or `learned`.",
)  # fmt: skip
@click.option(
    "--format", "form", type=click.Choice(["text", "messages", "blocks"]), default="text",
    show_default=True, help="The form for the model.",
)  # fmt: skip
@layer_option("layers", multiple=True, help="Search this layer; session only when named.")
@pass_session
def context(
    session: Session,
    /,
    words: tuple[str, ...],
    form: str,
    layers: tuple[str, ...],
    **options: Any,
) -> None:
    """Show what a model would be told, within a budget.

    First what an agent has before its eyes (NOW, LOG, facts, open tasks, MEMORY), then what the
    question recalls. With --as NAME, for that agent. Without a question, the first part alone.
    """
    from lamina.surfaces.cli.recall import query_of
    from lamina.surfaces.wire_layers import context_out

    options |= {"form": form, "layers": list(layers) or None}
    given = {name: value for name, value in options.items() if value is not None}
    found = session.handle.context(query_of(words), **given)
    out = session.out
    if out.as_json:
        out.document(context_out(found))
        return
    _print(session, found, form)
    for missing in found.degraded:
        out.note(f"Note: {missing}")
    if not out.quiet:
        out.show(*_report(found, blocks=out.draws_blocks))


def _print(session: Session, found: "Context", form: str) -> None:
    if form == "messages":
        import json

        session.out.raw(json.dumps(found.messages(), ensure_ascii=False, indent=2))
    elif found.entries:
        session.out.raw(found.blocks() if form == "blocks" else found.text)
    else:
        session.out.show(line("Nothing is remembered that belongs here."))


def _report(found: "Context", *, blocks: bool) -> Iterator[Line]:
    """How the budget was used, part by part, and what did not come in."""
    from lamina.paging.context import TITLES
    from lamina.surfaces.cli.hits import sentence
    from lamina.surfaces.cli.views import DIM, GOOD

    yield line("")
    mark = "█" if blocks else "#"
    for part, tokens in found.shares.items():
        bar = mark * max(1, round(_WIDEST * tokens / found.budget))
        yield line(Span(f"{TITLES[part].lower():<17}{tokens:>7,}  ", DIM), Span(bar, GOOD))
    around = found.tokens - sum(found.shares.values())
    if around > 0:
        yield line(Span(f"{'titles and marks':<17}{around:>7,}", DIM))
    yield line(Span(f"{'in all':<17}{found.tokens:>7,} of {found.budget:,} tokens", DIM))
    shares = "/".join(f"{100 * share:.0f}" for share in found.split.values())
    yield line(Span(f"Split {shares} over task, project and global ({found.origin}).", DIM))
    if found.entries:
        share = f"{100 * found.compression:.0f}%"
        yield line(Span(f"Shown: {share} of what came into question, by tokens.", DIM))
    for why, count in Counter(one.why for one in found.left_out).most_common():
        yield line(
            Span(
                f"Left out: {'1 memory' if count == 1 else f'{count} memories'}. {sentence(why)}",
                DIM,
            )
        )
