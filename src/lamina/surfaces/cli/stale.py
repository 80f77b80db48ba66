"""`lamina stale`."""

from typing import TYPE_CHECKING

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lamina.core.staleness import Stale
    from lamina.surfaces.cli.marks import Grid


@click.command(cls=Command)
@click.option(
    "-n", "--limit", type=int, default=20, show_default=True, metavar="N", help="At most so many."
)
@click.option(
    "--least", type=float, default=0.75, show_default=True, metavar="SHARE",
    help="How faded, from 0 to 1.",
)  # fmt: skip
@click.option("--keep", multiple=True, metavar="ID", shell_complete=completing.records,
              help="This one is to stay; it fades anew from now on.")  # fmt: skip
@pass_session
def stale(session: Session, /, limit: int, least: float, keep: tuple[str, ...]) -> None:
    """Show what has faded and could be forgotten, with reasons.

    Knowledge fades with the days since it was last said, changed or recalled: half of it in
    `stale.half_life_days`. It lasts longer if it matters, is sure or was of use, four times as long
    if a person said it, and for ever with an importance of 0.9 or more. Nothing goes by itself:
    `lamina forget` hides what you name, and `lamina undo` brings it back. With --as NAME, what that
    agent itself has learned is looked at too.
    """
    handle, out = session.handle, session.out
    if keep:
        from lamina.surfaces.cli.saying import say_receipt

        say_receipt(session, handle.lifecycle.review.keep(*keep, about="stale"))
        return
    faces = {face.scope: face for face in (handle.knowledge, handle.experience)}
    every = [one for face in faces.values() for one in face.stale(least=least, limit=limit)]
    found = sorted(every, key=lambda one: (-one.score, one.record.created_at))[:limit]
    if out.as_json:
        from lamina.surfaces import wire_layers

        out.document({"stale": [wire_layers.stale_out(one) for one in found]})
    elif out.quiet:
        for one in found:
            out.raw(one.record.id)
    elif found:
        out.show(_grid(found))
        out.note("`lamina forget ID...` hides those you name; `lamina stale -q` prints ids alone.")
    else:
        out.note(f"Nothing has faded so far in {', '.join(faces)}.")


def _grid(found: "list[Stale]") -> "Grid":
    from lamina.surfaces.cli.hits import percent
    from lamina.surfaces.cli.marks import grid
    from lamina.surfaces.cli.views import cut

    rows = [
        (
            one.record.id, percent(one.score), one.record.kind, one.record.key or "-",
            cut(one.record.text), "; ".join(one.reasons),
        )
        for one in found
    ]  # fmt: skip
    return grid(("id", "faded", "kind", "key", "what", "why"), rows)
