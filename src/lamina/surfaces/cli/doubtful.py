"""`lamina doubtful`."""

from typing import TYPE_CHECKING

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lamina.lifecycle.doubting import Doubtful
    from lamina.surfaces.cli.marks import Grid


@click.command(cls=Command)
@click.option(
    "--look", type=int, default=2_000, show_default=True, metavar="N",
    help="Look at so many of each degree of trust, the newest.",
)  # fmt: skip
@click.option(
    "--sound", multiple=True, metavar="ID", shell_complete=completing.records,
    help="This one is harmless; do not show it again.",
)  # fmt: skip
@pass_session
def doubtful(session: Session, /, look: int, sound: tuple[str, ...]) -> None:
    """Show memories that look as if somebody wanted to steer agents with them.

    That is text of pages, tools, files and agents that gives a model orders, holds encoded text or
    odd addresses, contradicts a person, or came in a sudden burst; and of anybody, text with unseen
    characters. It looks for words, so whoever knows them can word it otherwise, and nothing is done
    by itself: what a memory may do is bounded by its trust, shown here or not. `lamina forget`
    hides what you name.
    """
    from lamina.surfaces.cli.saying import say_receipt
    from lamina.surfaces.wire_review import doubts_out

    review, out = session.handle.lifecycle.review, session.out
    if sound:
        say_receipt(session, review.keep(*sound, about="sound"))
        return
    found = review.doubtful(look=look)
    if out.as_json:
        out.document(doubts_out(found))
    elif out.quiet:
        for one in found.found:
            out.raw(one.record.id)
    elif found.found:
        out.show(_grid(found.found))
        out.note("`lamina forget ID...` hides those you name; `--sound ID` lets one stand.")
    else:
        out.note(f"Nothing looks suspicious among the {found.looked:,} that were looked at.")


def _grid(found: "tuple[Doubtful, ...]") -> "Grid":
    from lamina.surfaces.cli.marks import grid
    from lamina.surfaces.cli.views import cut

    rows = [
        (
            one.record.id, one.record.source, one.record.trust.value, cut(one.record.text),
            "; ".join(dict.fromkeys(sign.why for sign in one.signs)),
        )
        for one in found
    ]  # fmt: skip
    return grid(("id", "source", "trust", "what", "why"), rows)
